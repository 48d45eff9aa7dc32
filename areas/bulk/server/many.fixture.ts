// Thousands of certificates without thousands of signatures: one is issued through the front door, and the others are rows like its own, at
// their authority and in the inventory, each with its own serial number.

import { sql } from 'kysely'
import { randomUUID } from 'node:crypto'
import { certificates } from '#areas/certificates/contract.ts'
import type { IssuingFixture } from '#areas/certificates/server/issuing.fixture.ts'
import { openSsl } from '#areas/certificates/server/issuing.fixture.ts'
import { inTenant } from '#core/server/database.ts'
import type { SharedHouse } from '#core/testing/house.ts'

/** `change` overwrites columns of the inventory's rows. Answers their ids, in order. */
export async function manyCertificates(
  house: Pick<SharedHouse, 'asOwner' | 'house'>,
  pki: IssuingFixture,
  { count, name }: { count: number; name: string },
  change: Record<string, unknown> = {},
): Promise<string[]> {
  const tools = openSsl()
  const dns = `${name}-0.example.org`
  const { csr } = tools.csr({ subject: `/CN=${dns}`, extensions: [`subjectAltName=DNS:${dns}`] })
  tools.close()
  const { certificateId = '' } = await pki.ada.call(certificates.calls.requestForDevice, {
    templateId: pki.template['Device'] ?? '',
    csr,
    values: { DNS: [dns] },
  })
  const tag = randomUUID()
  const values = JSON.stringify(change).replaceAll("'", "''")
  await house.asOwner(`
    begin;
    create temporary table made on commit drop as select gen_random_uuid() as id, '4' || substr(md5('${tag}' || at), 2) as serial_hex, at from generate_series(1, ${count}) as at;
    insert into serials select (jsonb_populate_record(serials, jsonb_build_object('serial', '\\x' || made.serial_hex, 'about_id', made.id))).*
      from serials, made, certificates where certificates.id = '${certificateId}' and serials.ca_id = certificates.ca_id and serials.serial = decode(certificates.serial_hex, 'hex');
    insert into certificates select (jsonb_populate_record(certificates, jsonb_build_object('id', made.id, 'serial_hex', made.serial_hex, 'name', '${name}-' || made.at, 'device_name', '${name}-' || made.at, 'fingerprint_sha256', '${tag}', 'request_id', made.id) || '${values}'::jsonb)).*
      from certificates, made where certificates.id = '${certificateId}';
    commit;`)
  const { rows } = await inTenant(house.house.database, pki.tenancy.id, (db) =>
    sql<{ id: string }>`select id from certificates where fingerprint_sha256 = ${tag} order by id`.execute(db),
  )
  return rows.map(({ id }) => id)
}
