package com.acme.bank;

import java.util.List;
import java.util.function.*;
import static java.util.Objects.requireNonNull;

/**
 * An account. It is not safe for use by several threads at once: whoever shares one between threads has to see to it
 * that only one of them uses it at any time.
 */
@Entity
@Table(name = "accounts")
public class Account extends Base<String> implements Comparable<Account>, java.io.Serializable {
    private static final long serialVersionUID = 1L;
    private final List<Entry> entries = new ArrayList<>(), closed = null;

    static {
        Registry.register(Account.class, () -> new Account("registry", Currency.EUR, Locale.getDefault(), Clock.systemUTC(), null, null));
    }

    /** Opens an account. */
    public Account(String owner) {
        super(requireNonNull(owner));
    }

    // Where a comment stands.
    @Override
    public int compareTo(Account other) {
        return owner().compareTo(other.owner());
    }

    public abstract void close();

    /** Moves money. */
    public <T extends Entry> Result<T> transfer(Account to, Money amount) throws TransferException {
        if (amount.isNegative()) {
            throw new TransferException("negative amount: " + amount);
        }
        entries.stream().map(Entry::amount).forEach(System.out::println);
        return this.ledger.book(new Entry(this, to, amount), entry -> entry.confirm());
    }

    private int unused;

    enum State {
        OPEN, CLOSED("closed") { @Override String label() { return "shut"; } };

        String label() { return name(); }
    }

    interface Listener extends EventListener, Closeable {
        int LIMIT = 3;
        void changed(State state);
        default void closed() { changed(State.CLOSED); }
    }

    record Entry(Account from, Account to, Money amount) {
        Entry {
            requireNonNull(from);
        }
    }

    @interface Audited {
        String value() default "";
    }
}
