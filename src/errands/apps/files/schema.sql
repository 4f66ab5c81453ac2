-- Bytes by content address. They are kept when an entry goes: the ledger needs no second copy of them, and undoing is exact.
CREATE TABLE files_blob (digest TEXT PRIMARY KEY, data BLOB NOT NULL) STRICT;
CREATE TABLE files_entry (
  path TEXT PRIMARY KEY, blob TEXT NOT NULL REFERENCES files_blob(digest), media TEXT NOT NULL, modified INTEGER NOT NULL,
  author TEXT NOT NULL
) STRICT, WITHOUT ROWID;
