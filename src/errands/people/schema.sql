CREATE TABLE people_brief (person TEXT PRIMARY KEY, languages TEXT NOT NULL, body TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE people_told (
  person TEXT NOT NULL REFERENCES people_brief(person), fact TEXT NOT NULL, at INTEGER NOT NULL, answer TEXT NOT NULL, PRIMARY KEY (person, fact)
) STRICT, WITHOUT ROWID;
CREATE TABLE people_granted (
  person TEXT NOT NULL, item TEXT NOT NULL, digest TEXT NOT NULL, staged TEXT NOT NULL, waited INTEGER NOT NULL, PRIMARY KEY (person, item, digest)
) STRICT, WITHOUT ROWID;
