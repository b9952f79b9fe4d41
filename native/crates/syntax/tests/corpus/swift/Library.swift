import Foundation
import struct Dispatch.DispatchTime
@testable import LibraryCore

/// Where a book stands.
public enum Shelf: String, CaseIterable {
    case fiction
    case science = "sci", history
    indirect case nested(Shelf, depth: Int)

    var label: String { rawValue.capitalized }

    static func named(_ name: String) -> Shelf? {
        Shelf(rawValue: name)
    }
}

/// Lends things.
public protocol Lending: AnyObject {
    associatedtype Item: Identifiable
    var available: Int { get }
    static var limit: Int { get set }
    init(name: String)
    func lend(_ item: Item, to reader: Reader) throws -> Receipt
}

public typealias Completion = (Result<Book, LibraryError>) -> Void

let maxLoans = 5
private var loanCounter: Int = 0

struct Book: Identifiable, Codable {
    let id: UUID
    var title: String, author: String
    @Published var loaned = false

    enum CodingKeys: String, CodingKey {
        case id, title
    }
}

enum LibraryError: Error { case missing(String), closed }

/**
 A library that lends books.
 */
@MainActor
public final class Library: BaseStore, Lending {
    public typealias Item = Book

    static let shared = Library(name: "main")
    private(set) var books: [Book] = []
    weak var delegate: LibraryDelegate?
    lazy var index: Index = { Index(books) }()

    public var available: Int {
        books.filter { !$0.loaned }.count
    }

    var name: String {
        didSet { delegate?.libraryDidRename(self) }
    }

    public required init(name: String) {
        self.name = name
        super.init()
    }

    convenience init?(file: URL) {
        guard let data = try? Data(contentsOf: file) else { return nil }
        self.init(name: data.description)
    }

    deinit {
        NotificationCenter.default.removeObserver(self)
    }

    // Lends one book.
    @discardableResult
    public func lend(_ item: Book, to reader: Reader) throws -> Receipt {
        guard let found = books.first(where: { $0.id == item.id }) else {
            throw LibraryError.missing(item.title)
        }
        func stamp() -> Date { Date() }
        loanCounter += 1
        reader.accept(found, until: stamp())
        return Receipt(book: found)
    }

    subscript(position: Int) -> Book {
        get { books[position] }
        set { books[position] = newValue }
    }

    static func == (left: Library, right: Library) -> Bool { left.name == right.name }

    class Desk {
        var clerk: String?
        func open() async { await greet(clerk) }
    }
}

extension Library: CustomStringConvertible {
    public var description: String { "Library \(name)" }

    func sorted(by key: KeyPath<Book, String>) -> [Book] {
        books.sorted { $0[keyPath: key] < $1[keyPath: key] }
    }
}

extension Array where Element == Book {
    func titles() -> [String] { map(\.title) }
}

actor LoanLog {
    private var lines: [String] = []
    func add(_ line: String) { lines.append(line) }
}

func makeLibrary<T: Lending>(_ type: T.Type, name: String) -> T where T.Item == Book {
    return type.init(name: name)
}

#if DEBUG
func dump(_ library: Library) { print(library.description) }
#endif

infix operator <->: AdditionPrecedence
