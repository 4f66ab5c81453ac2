-- `price` is what an event costs, in minor units of `currency`. Times are UTC ms, ends not included.
CREATE TABLE venues_venue (
  id TEXT PRIMARY KEY, name TEXT NOT NULL, address TEXT NOT NULL, capacity INTEGER NOT NULL CHECK (capacity > 0),
  price INTEGER NOT NULL CHECK (price >= 0), currency TEXT NOT NULL
) STRICT, WITHOUT ROWID;
-- When a venue is taken by others.
CREATE TABLE venues_busy (
  venue TEXT NOT NULL REFERENCES venues_venue(id) ON DELETE CASCADE, starts INTEGER NOT NULL,
  ends INTEGER NOT NULL CHECK (ends > starts), PRIMARY KEY (venue, starts)
) STRICT, WITHOUT ROWID;
-- What could be held or booked: staged.
CREATE TABLE venues_quote (
  id TEXT PRIMARY KEY, venue TEXT NOT NULL REFERENCES venues_venue(id) ON DELETE CASCADE, starts INTEGER NOT NULL,
  ends INTEGER NOT NULL, people INTEGER NOT NULL, price INTEGER NOT NULL, currency TEXT NOT NULL, at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
-- What the user has: a hold lapses two days after `at`.
CREATE TABLE venues_booking (
  id TEXT PRIMARY KEY, kind TEXT NOT NULL CHECK (kind IN ('hold', 'booking')),
  venue TEXT NOT NULL REFERENCES venues_venue(id) ON DELETE CASCADE, starts INTEGER NOT NULL, ends INTEGER NOT NULL,
  people INTEGER NOT NULL, price INTEGER NOT NULL, currency TEXT NOT NULL, at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
