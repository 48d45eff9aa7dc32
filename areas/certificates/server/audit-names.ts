import { registerNames, type Namer } from '#areas/audit/names.ts'
import { to } from '#core/contract/paths.ts'
import { certificates } from '../contract.ts'
import { certificateNames, requestsBehind } from './inventory/certificate-store.ts'
import { asOne, listInventory } from './inventory/listing.ts'
import { viewPath } from './requests/notices.ts'
import { requestSubjects, requestsWithSubject } from './requests/request-store.ts'

const { view, approval } = certificates.screens

/** As the audit log shows what an event is about. What was issued at once has the id of its request, and goes by its certificate. */
export function nameForAudit(): void {
  registerNames('certificate', {
    needs: view.needs,
    find: async (db, tenantId, ids) =>
      (await certificateNames(db, tenantId, ids)).map((row) => ({
        id: row.id,
        name: row.name,
        detail: row.serial_hex,
        path: viewPath(row),
      })),
    seek: certificatesCalled,
  })
  registerNames('request', {
    needs: approval.needs,
    find: async (db, tenantId, ids) =>
      (await requestSubjects(db, tenantId, ids)).map(({ id, subject }) => ({ id, name: subject, path: to(approval, { id }) })),
    // Those that led to a certificate by the words of that one, however long ago it was.
    seek: async (db, tenantId, typed) =>
      [
        ...(await requestsWithSubject(db, tenantId, typed.text, typed.most)),
        ...(await requestsBehind(db, tenantId, await certificatesCalled(db, tenantId, typed))),
      ].slice(0, typed.most),
  })
}

/** A request is called by its subject, `CN=www.example.org, O=Acme`; a certificate is found by the first value of that. */
const firstValue = /^[A-Za-z]+=([^,+]+)/

const certificatesCalled: Namer['seek'] = async (db, tenantId, { text, most, now }) => {
  const filter = { text: firstValue.exec(text)?.[1] ?? text }
  const { rows } = await listInventory(asOne(db), tenantId, filter, { page: 1, size: most, sort: 'issuedAt', direction: 'desc' }, now)
  return rows.map(({ id }) => id)
}
