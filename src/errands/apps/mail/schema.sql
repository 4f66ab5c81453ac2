-- Messages and files are rowid tables: a long text or blob in a WITHOUT ROWID tree is read at every comparison of keys.
CREATE TABLE mail_message (
  id TEXT PRIMARY KEY, thread TEXT NOT NULL, folder TEXT NOT NULL, sender TEXT NOT NULL, sender_name TEXT NOT NULL,
  subject TEXT NOT NULL, body TEXT NOT NULL, at INTEGER NOT NULL, reply_to TEXT NOT NULL,
  unread INTEGER NOT NULL, labels TEXT NOT NULL
) STRICT;
CREATE TABLE mail_recipient (
  message TEXT NOT NULL REFERENCES mail_message(id) ON DELETE CASCADE, role TEXT NOT NULL, email TEXT NOT NULL,
  opened INTEGER NOT NULL, PRIMARY KEY (message, role, email)
) STRICT, WITHOUT ROWID;
CREATE TABLE mail_file (
  owner TEXT NOT NULL, name TEXT NOT NULL, media TEXT NOT NULL, data BLOB NOT NULL, PRIMARY KEY (owner, name)
) STRICT;
CREATE TABLE mail_draft (
  id TEXT PRIMARY KEY, reply_to TEXT NOT NULL, recipients TEXT NOT NULL, cc TEXT NOT NULL, bcc TEXT NOT NULL,
  subject TEXT NOT NULL, body TEXT NOT NULL, at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE mail_auto_reply (
  id TEXT PRIMARY KEY, starts INTEGER NOT NULL, ends INTEGER NOT NULL, subject TEXT NOT NULL, body TEXT NOT NULL,
  audience TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE mail_recall (
  id TEXT PRIMARY KEY, message TEXT NOT NULL REFERENCES mail_message(id), reason TEXT NOT NULL, sent INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX mail_message_at ON mail_message (at, id);
CREATE INDEX mail_message_thread ON mail_message (thread, at);
