create table host_brandings (
  tenant_id uuid not null,
  host text collate "C" not null,
  alt_app_name text not null,
  primary_colour text not null,
  -- Both or neither: the background of the band and the text on it.
  secondary_colour text not null,
  tertiary_colour text not null,
  icon bytea,
  icon_type text,
  logo_contains_app_name boolean not null,
  made_at timestamptz not null,
  primary key (tenant_id, host)
);
select protect_tenant_table('host_brandings');
