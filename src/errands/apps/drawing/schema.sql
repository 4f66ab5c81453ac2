CREATE TABLE drawing_sheet (
  id TEXT PRIMARY KEY, width INTEGER NOT NULL, height INTEGER NOT NULL, background TEXT NOT NULL, made INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
-- What lies on a sheet, later ones on top; `spec` is JSON, by kind.
CREATE TABLE drawing_item (
  id TEXT PRIMARY KEY, sheet TEXT NOT NULL REFERENCES drawing_sheet(id), place INTEGER NOT NULL, kind TEXT NOT NULL,
  spec TEXT NOT NULL
) STRICT, WITHOUT ROWID;
