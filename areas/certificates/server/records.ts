// How certificates and requests are called, and found by what was typed. What was issued at once has the id of its request, and goes by its certificate.

import { to } from '#core/contract/paths.ts'
import type { RecordSource } from '#core/server/records.ts'
import type { RecordSources } from '#core/server/serve.ts'
import { certificates } from '../contract.ts'
import { certificatePath } from '../paths.ts'
import { plainSubject, subjectName } from '../plain-subject.ts'
import { certificateStatus, lifetimeOf } from '../rules.ts'
import { certificateNames, requestsBehind } from './inventory/certificate-store.ts'
import { countByStatus } from './inventory/count-store.ts'
import { asOne, listInventory } from './inventory/listing.ts'
import { viewPath } from './requests/notices.ts'
import { requestSubjects, requestsWithSubject } from './requests/request-store.ts'

/** A text such as `CN=www.example.org, O=Acme` finds a certificate by its first value. */
const firstValue = /^[A-Za-z]+=([^,+]+)/

const newest = { page: 1, sort: 'issuedAt', direction: 'desc' } as const

const certificatesCalled: RecordSource['seek'] = async ({ db, tenantId, now }, { text, most }) => {
  const filter = { text: firstValue.exec(text)?.[1] ?? text }
  const { rows } = await listInventory(asOne(db), tenantId, filter, { ...newest, size: most }, now)
  return rows.map(({ id }) => id)
}

export const certificateRecords: RecordSources<typeof certificates> = {
  certificate: {
    names: async ({ db, tenantId }, ids) =>
      (await certificateNames(db, tenantId, ids)).map((row) => ({
        id: row.id,
        name: row.name,
        detail: row.serial_hex,
        path: viewPath(row),
      })),
    seek: certificatesCalled,
    facets: async ({ db, tenantId, now }) => ({ status: await countByStatus(db, tenantId, now) }),
    search: async ({ db, tenantId, now }, { text, most }) =>
      (await listInventory(asOne(db), tenantId, { text }, { ...newest, size: most }, now)).rows.map((row) => ({
        id: row.id,
        label: row.name === '' ? row.subject : row.name,
        detail: row.serial_hex,
        path: certificatePath(row.id),
        status: certificateStatus(lifetimeOf(row), now),
        from: row.issued_at,
      })),
  },
  request: {
    names: async ({ db, tenantId }, ids) =>
      (await requestSubjects(db, tenantId, ids)).map(({ id, subject }) => ({
        id,
        name: subjectName(subject),
        ...(plainSubject(subject) === subject ? { detail: subject } : {}),
        path: to(certificates.screens.approval, { id }),
      })),
    // Those that led to a certificate by the words of that one, however long ago it was.
    seek: async (tenancy, typed) =>
      [
        ...(await requestsWithSubject(tenancy.db, tenancy.tenantId, typed.text, typed.most)),
        ...(await requestsBehind(tenancy.db, tenancy.tenantId, await certificatesCalled(tenancy, typed))),
      ].slice(0, typed.most),
  },
}
