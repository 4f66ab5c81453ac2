-- Services that the user has connected. `app` is the app of this world that stands behind one.
CREATE TABLE connections_service (id TEXT PRIMARY KEY, app TEXT NOT NULL, name TEXT NOT NULL, about TEXT NOT NULL)
  STRICT, WITHOUT ROWID;
-- What each scope of a service lets one do, in words. Whether it is granted is the kernel's to say.
CREATE TABLE connections_scope (
  service TEXT NOT NULL REFERENCES connections_service(id) ON DELETE CASCADE, scope TEXT NOT NULL, lets TEXT NOT NULL,
  place INTEGER NOT NULL, PRIMARY KEY (service, scope)
) STRICT, WITHOUT ROWID;
CREATE TABLE connections_request (
  id TEXT PRIMARY KEY, service TEXT NOT NULL REFERENCES connections_service(id), scope TEXT NOT NULL,
  reason TEXT NOT NULL, at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
