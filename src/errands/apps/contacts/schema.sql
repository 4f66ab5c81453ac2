CREATE TABLE contacts_person (
  id TEXT PRIMARY KEY, name TEXT NOT NULL, called TEXT NOT NULL, formal TEXT NOT NULL, email TEXT NOT NULL,
  phone TEXT NOT NULL, org TEXT NOT NULL, title TEXT NOT NULL, relation TEXT NOT NULL, zone TEXT NOT NULL,
  aliases TEXT NOT NULL, notes TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE contacts_relation (
  person TEXT NOT NULL REFERENCES contacts_person(id) ON DELETE CASCADE, kind TEXT NOT NULL, other TEXT NOT NULL,
  PRIMARY KEY (person, kind, other)
) STRICT, WITHOUT ROWID;
