-- For how long a whole list and its parts say that they are valid, and for how long an OCSP answer does.
alter table status_settings
  add column list_hours integer not null default 48 check (list_hours between 4 and 8760),
  add column answer_minutes integer not null default 60 check (answer_minutes between 10 and 10080);
