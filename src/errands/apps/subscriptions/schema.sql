CREATE TABLE subscriptions_card (
  id TEXT PRIMARY KEY, most INTEGER NOT NULL, currency TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE subscriptions_plan (
  id TEXT PRIMARY KEY, service TEXT NOT NULL, plan TEXT NOT NULL, price INTEGER NOT NULL, currency TEXT NOT NULL,
  period TEXT NOT NULL CHECK (period IN ('month', 'year')), since INTEGER NOT NULL, paid_from INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE subscriptions_offer (
  id TEXT PRIMARY KEY, replaces TEXT NOT NULL REFERENCES subscriptions_plan(id), service TEXT NOT NULL, plan TEXT NOT NULL,
  month INTEGER NOT NULL, year INTEGER NOT NULL, currency TEXT NOT NULL, until INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('open', 'taken', 'withdrawn'))
) STRICT, WITHOUT ROWID;
CREATE TABLE subscriptions_order (
  id TEXT PRIMARY KEY, offer TEXT NOT NULL REFERENCES subscriptions_offer(id),
  period TEXT NOT NULL CHECK (period IN ('month', 'year')), at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE subscriptions_payment (
  id TEXT PRIMARY KEY, plan TEXT NOT NULL, amount INTEGER NOT NULL, currency TEXT NOT NULL, at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
