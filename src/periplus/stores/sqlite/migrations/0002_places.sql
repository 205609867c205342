-- Where an area stands among its neighbours, as its source orders them. Sources tell it when they change next.
ALTER TABLE node ADD COLUMN place INTEGER NOT NULL DEFAULT 0;
