-- What is known of a person beside the account, a row for each attribute that has a value. Sensitive ones are not here: they are sealed.

create table user_attributes (
  tenant_id uuid not null,
  user_id uuid not null,
  name text not null,
  value text not null,
  -- The beginning of the value in small letters, by which people are found.
  folded text collate "C" not null,
  primary key (tenant_id, user_id, name)
);
create index user_attributes_by_value on user_attributes (tenant_id, name, folded, user_id);
select protect_tenant_table('user_attributes');
