# A queue of jobs on disk.
package Job::Queue;

use strict;
use warnings;
use 5.020;
use Carp qw(croak carp);
use List::Util 'first';
use parent -norequire, 'Job::Base';
use base qw(Exporter Job::Store);
require Job::Clock;
require "legacy.pl";

use constant MAX_JOBS => 100;
use constant { LOW => 0, HIGH => 9 };

our $VERSION = '1.03';
our @EXPORT_OK = qw(open_queue);
my %handlers = (mail => \&send_mail);
my $opened = 0;

=head1 NAME

Job::Queue - keeps jobs until they run

=cut

# Makes a queue.
sub new {
    my ($class, %args) = @_;
    my $self = $class->SUPER::new(%args);
    $self->{jobs} = [];
    $self->{limit} = $args{limit} // MAX_JOBS;
    return bless $self, $class;
}

=head2 push($job)

Adds one job.

=cut

sub push {
    my $self = shift;
    my $job = shift or croak "no job";
    if (@{ $self->{jobs} } >= $self->{limit}) {
        $self->_full($job);
        return;
    }
    push @{ $self->{jobs} }, $job;
    Job::Clock::tick();
    my $worker = Job::Worker->new(queue => $self);
    $worker->start;
    return $self;
}

sub _full {
    my ($self, $job) = @_;
    my $report = sub { carp "full: $_[0]" };
    $report->($job->name);
    $self->$opened();
}

sub size($self) { return scalar @{ $self->{jobs} } }

package Job::Queue::Reader {
    our @ISA = ('Job::Queue');

    sub next_job {
        my $self = shift;
        return first { $_->ready } @{ $self->{jobs} };
    }
}

package main;

sub open_queue {
    my $path = shift;
    return Job::Queue->new(path => $path);
}

BEGIN {
    $opened = 1;
}

1;
__END__

Not code any more.
