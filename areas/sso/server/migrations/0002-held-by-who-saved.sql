-- What whoever saved the provider held then, as `api:certView`: the provider opens no account that holds more, also not one that it knows already.
alter table sso_providers add column saved_held text[] not null default '{}';
