CREATE TABLE groups_thread (
  id TEXT PRIMARY KEY, name TEXT NOT NULL, about TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE groups_member (
  id TEXT PRIMARY KEY, thread TEXT NOT NULL REFERENCES groups_thread(id) ON DELETE CASCADE, name TEXT NOT NULL, zone TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE groups_message (
  id TEXT PRIMARY KEY, thread TEXT NOT NULL REFERENCES groups_thread(id) ON DELETE CASCADE, member TEXT NOT NULL,
  body TEXT NOT NULL, at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX groups_message_at ON groups_message (thread, at, id);
CREATE TABLE groups_meeting (
  id TEXT PRIMARY KEY, thread TEXT NOT NULL REFERENCES groups_thread(id), title TEXT NOT NULL, starts INTEGER NOT NULL,
  minutes INTEGER NOT NULL, zone TEXT NOT NULL, scheduled INTEGER
) STRICT, WITHOUT ROWID;
CREATE TABLE groups_away (
  member TEXT NOT NULL REFERENCES groups_member(id), starts INTEGER NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (member, starts)
) STRICT, WITHOUT ROWID;
-- What members have in mind. No tool shows it.
CREATE TABLE groups_mind (
  member TEXT PRIMARY KEY, free TEXT NOT NULL, retracts INTEGER, words TEXT NOT NULL, state TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE groups_answer (
  member TEXT NOT NULL, starts INTEGER NOT NULL, PRIMARY KEY (member, starts)
) STRICT, WITHOUT ROWID;
