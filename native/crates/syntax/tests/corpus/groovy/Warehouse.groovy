// Orders and the warehouse that serves them.
package shop.warehouse

import groovy.transform.CompileStatic
import static java.util.Collections.emptyList
import java.util.concurrent.*
import shop.core.Order as CoreOrder

/**
 * Where an order stands.
 */
enum Status {
    OPEN('open'), SHIPPED('shipped');

    final String label

    Status(String label) {
        this.label = label
    }
}

interface Shipping {
    int DAYS = 3

    void ship(Order order)
}

trait Audited {
    List<String> log = []

    void audit(String line) {
        log << line
    }
}

@interface Slow {
    int seconds()
}

/** One warehouse. */
@CompileStatic
class Warehouse extends BaseWarehouse implements Shipping, Audited {
    static final int MAX_ORDERS = 50
    String name
    private final Map<String, Order> orders = [:]
    def listener = { Order order -> println order.id }

    Warehouse(String name) {
        super(name)
        this.name = name
    }

    // Ships one order.
    @Override
    void ship(Order order) {
        if (orders.size() >= MAX_ORDERS) {
            throw new IllegalStateException("full: ${name}")
        }
        orders[order.id] = order
        listener(order)
        order.lines.each { line -> reserve(line) }
        audit("shipped ${order.id}")
    }

    def reserve(line, amount = 1) {
        def stock = Stock.find(line.sku)
        stock?.take(amount)
        return new Reservation(line, amount)
    }

    static Warehouse open(String path) {
        return new Warehouse(new File(path).text.trim())
    }
}

def report(warehouse) {
    println warehouse.name
}

def main = Warehouse.open('warehouse.txt')
report(main)
