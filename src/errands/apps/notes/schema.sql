CREATE TABLE notes_notebook (id TEXT PRIMARY KEY, name TEXT NOT NULL) STRICT, WITHOUT ROWID;
-- A rowid table: its texts are long.
CREATE TABLE notes_note (
  id TEXT PRIMARY KEY, notebook TEXT NOT NULL REFERENCES notes_notebook(id) ON DELETE CASCADE, title TEXT NOT NULL,
  body TEXT NOT NULL, created INTEGER NOT NULL, changed INTEGER NOT NULL
) STRICT;
CREATE INDEX notes_note_changed ON notes_note (changed, id);
