-- Nobody can delete an authority (0001 takes that right away), so that looking for it at each serial, with a lock on its one row that all
-- who issue share, finds out nothing.
alter table serials drop constraint serials_tenant_id_ca_id_fkey;
