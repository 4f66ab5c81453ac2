CREATE TABLE bureau_inquiry (id TEXT PRIMARY KEY, kind TEXT NOT NULL CHECK (kind IN ('soft', 'hard')), by_whom TEXT NOT NULL,
  session TEXT NOT NULL, at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
