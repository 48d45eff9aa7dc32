-- The name of a revoked authority in a chain. A function, because its plan is kept: it is asked whenever an authority is read to issue with it, and to plan the joins
-- anew would cost more than to read the authority. It runs with the rights, and under the row security, of who asks.
create function revoked_above(tenant uuid, chain bytea[]) returns text language plpgsql stable as $$
begin
  return (
    select coalesce(upper.friendly_name, held.subject_text)
    from unnest(chain) as above (der)
    join authority_certificates as held on held.tenant_id = tenant and held.certificate = above.der
    left join serials on serials.tenant_id = tenant and serials.ca_id = held.issuer_id and serials.serial = held.serial
    left join authorities as upper on upper.tenant_id = tenant and upper.id = held.ca_id
    where coalesce(serials.revoked_at, held.revoked_elsewhere_at) is not null
    order by held.made_at
    limit 1
  );
end
$$;
