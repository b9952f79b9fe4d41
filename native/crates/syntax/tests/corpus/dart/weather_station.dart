/// Reads the weather.
library weather.station;

import 'dart:async';
import 'dart:math' as math show max, min;
import 'package:http/http.dart' deferred as http hide Client;
export 'src/units.dart';
part 'station.g.dart';

const int maxReadings = 500;
final defaultUnit = Unit.celsius;
String? lastStation;
late int openStations;

typedef Callback<T> = void Function(T value);
typedef int Compare(Reading a, Reading b);

/// How a temperature is written.
enum Unit {
  celsius('C'),
  fahrenheit('F');

  const Unit(this.symbol);
  final String symbol;

  double convert(double value) => this == celsius ? value : value * 1.8 + 32;
}

enum Wind { calm, storm }

/// Something that can be measured.
abstract interface class Measurable {
  double get value;
  void reset();
}

mixin Logged on Object {
  final List<String> lines = [];
  void log(String line) => lines.add(line);
}

/// One reading.
class Reading implements Comparable<Reading> {
  const Reading(this.value, {required this.at, this.unit = Unit.celsius});

  Reading.zero() : this(0, at: DateTime.now());

  factory Reading.parse(String text) {
    final parts = text.split(' ');
    return Reading(double.parse(parts.first), at: DateTime.parse(parts.last));
  }

  final double value;
  final DateTime at;
  final Unit unit;

  @override
  int compareTo(Reading other) => value.compareTo(other.value);

  @override
  bool operator ==(Object other) => other is Reading && other.value == value;
}

// Collects readings from one place.
@immutable
class Station<T extends Reading> extends BaseStation with Logged, Named implements Measurable {
  static const String kind = 'station';
  static final Map<String, Station> _all = {};
  final _controller = StreamController<T>();
  int _count = 0, _dropped = 0;

  Station(String name, {this.limit = maxReadings}) : super(name) {
    _all[name] = this;
  }

  final int limit;

  double get value => _latest?.value ?? 0;

  set latest(T? reading) {
    _latest = reading;
    _controller.add(reading!);
  }

  /// Adds one reading.
  Future<void> add(T reading) async {
    if (_count >= limit) {
      throw StateError('full');
    }
    int clamp(int low) => math.max(low, _count);
    _count++;
    await super.store(reading);
    log('added ${reading.value}');
    _controller
      ..add(reading)
      ..sink;
  }

  static Station? named(String name) => _all[name];

  @override
  void reset() {
    _count = 0;
    this.log('reset');
  }
}

extension ReadingList on List<Reading> {
  double average() => map((r) => r.value).reduce((a, b) => a + b) / length;
  Reading? get newest => isEmpty ? null : last;
}

extension type StationId(String raw) {
  bool get isValid => raw.isNotEmpty;
}

int get stationCount => openStations;

/// Prints a summary.
void printSummary(Station station) {
  print(station.value);
}

Future<void> main(List<String> arguments) async {
  final station = new Station<Reading>('roof');
  await station.add(const Reading(21.5, at: null));
  printSummary(station);
}
