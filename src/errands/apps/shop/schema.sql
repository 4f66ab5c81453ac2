-- Prices are minor units of `currency`. `delivery` is what one line of an order costs to deliver, however many pieces.
CREATE TABLE shop_product (
  id TEXT PRIMARY KEY, title TEXT NOT NULL, about TEXT NOT NULL, material TEXT NOT NULL, capacity_ml INTEGER,
  price INTEGER NOT NULL CHECK (price >= 0), delivery INTEGER NOT NULL CHECK (delivery >= 0), currency TEXT NOT NULL,
  stock INTEGER NOT NULL CHECK (stock >= 0)
) STRICT, WITHOUT ROWID;
CREATE TABLE shop_saved (
  sku TEXT PRIMARY KEY REFERENCES shop_product(id) ON DELETE CASCADE, at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE shop_cart (
  sku TEXT PRIMARY KEY REFERENCES shop_product(id) ON DELETE CASCADE, quantity INTEGER NOT NULL CHECK (quantity > 0),
  at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
-- How the account can pay; `balance` is what a gift card still holds, NULL where nothing limits it.
CREATE TABLE shop_method (
  id TEXT PRIMARY KEY, name TEXT NOT NULL, balance INTEGER CHECK (balance >= 0)
) STRICT, WITHOUT ROWID;
-- An order is staged until it is paid for; at most one is staged. Its lines keep the prices that it was staged with.
CREATE TABLE shop_order (
  id TEXT PRIMARY KEY, status TEXT NOT NULL CHECK (status IN ('staged', 'paid')), currency TEXT NOT NULL,
  at INTEGER NOT NULL, method TEXT NOT NULL, paid_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE TABLE shop_line (
  order_id TEXT NOT NULL REFERENCES shop_order(id) ON DELETE CASCADE, sku TEXT NOT NULL, title TEXT NOT NULL,
  quantity INTEGER NOT NULL, unit_price INTEGER NOT NULL, delivery INTEGER NOT NULL, PRIMARY KEY (order_id, sku)
) STRICT, WITHOUT ROWID;
