-- Schema of the warehouse: goods, stock and orders.

CREATE SCHEMA IF NOT EXISTS warehouse;

CREATE EXTENSION IF NOT EXISTS pgcrypto;

CREATE TYPE warehouse.order_state AS ENUM ('open', 'packed', 'shipped', 'cancelled');

/* One row for each kind of goods,
   whether in stock or not. */
CREATE TABLE warehouse.goods (
    id          bigserial PRIMARY KEY,
    code        text NOT NULL UNIQUE,
    title       text NOT NULL,
    weight_g    integer CHECK (weight_g > 0),
    created_at  timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE IF NOT EXISTS orders (
    id          uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    customer    text NOT NULL,
    state       warehouse.order_state NOT NULL DEFAULT 'open',
    goods_id    bigint REFERENCES warehouse.goods (id),
    placed_at   timestamptz NOT NULL
);

CREATE INDEX orders_by_customer ON orders (customer, placed_at DESC);
CREATE UNIQUE INDEX goods_code_key ON warehouse.goods USING btree (lower(code));

CREATE SEQUENCE pallet_number START WITH 1000;

-- Orders that nobody has packed for a day.
CREATE OR REPLACE VIEW late_orders AS
SELECT o.id, o.customer, age(o.placed_at) AS waiting
FROM orders o
JOIN warehouse.goods g ON g.id = o.goods_id
WHERE o.state = 'open' AND o.placed_at < now() - interval '1 day';

CREATE MATERIALIZED VIEW daily_sales AS
SELECT date_trunc('day', placed_at) AS day, count(*) AS orders
FROM orders
GROUP BY 1;

-- Weight of everything in an order, in grams.
CREATE FUNCTION order_weight(order_id uuid) RETURNS bigint
LANGUAGE sql STABLE
AS $$
    SELECT sum(g.weight_g)
    FROM orders o
    JOIN warehouse.goods g ON g.id = o.goods_id
    WHERE o.id = order_id;
$$;

CREATE OR REPLACE FUNCTION touch_order() RETURNS trigger AS $body$
BEGIN
    NEW.placed_at := coalesce(NEW.placed_at, now());
    RETURN NEW;
END;
$body$ LANGUAGE plpgsql;

CREATE TRIGGER orders_touch BEFORE INSERT ON orders
    FOR EACH ROW EXECUTE FUNCTION touch_order();

ALTER TABLE orders ADD COLUMN note text;

INSERT INTO warehouse.goods (code, title, weight_g)
VALUES ('tin-01', 'Tin of paint', 1200), ('brush-02', 'Brush', 80);

WITH heavy AS (
    SELECT id FROM warehouse.goods WHERE weight_g > 1000
)
UPDATE orders SET note = 'two people' WHERE goods_id IN (SELECT id FROM heavy);

BEGIN;

CREATE TABLE pallets (
    number      integer PRIMARY KEY DEFAULT nextval('pallet_number'),
    order_id    uuid NOT NULL,
    CONSTRAINT pallets_order FOREIGN KEY (order_id) REFERENCES orders (id)
);

DELETE FROM orders WHERE state = 'cancelled';

COMMIT;

CREATE FUNCTION next_state(state warehouse.order_state) RETURNS warehouse.order_state
AS $$ SELECT 'packed' $$ LANGUAGE sql;

SELECT customer, order_weight(id) FROM orders WHERE state = 'packed';
