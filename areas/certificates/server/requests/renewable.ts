// What stands before a certificate that may be renewed: where its key came from, and in whose place it came.

import type { Database } from '#core/server/database.ts'
import type { CertificateReference } from '../../rules.ts'
import { findRecord } from '../../service.ts'
import { findRenewables, type Renewable } from '../inventory/renewable-store.ts'
import { findRequest } from './request-store.ts'

/** Where its key came from: whether it was made here, and archived. */
export type KeyOrigin = { madeHere: boolean; keyArchived: boolean }

/** By any reference. Undefined for a missing one and for another tenancy's alike. */
export async function findRenewable(
  db: Database,
  tenantId: string,
  reference: CertificateReference,
): Promise<(Renewable & KeyOrigin) | undefined> {
  const record = await findRecord(db, tenantId, reference)
  if (record === undefined) return undefined
  const request = record.request_id === null ? undefined : await findRequest(db, tenantId, record.request_id)
  return { ...record, madeHere: request !== undefined && request.csr === null, keyArchived: request?.plan.extensions.keyArchival === true }
}

/** The certificate in whose place this one came. */
export async function predecessorOf(
  db: Database,
  tenantId: string,
  certificate: Pick<Renewable, 'request_id'>,
): Promise<Renewable | undefined> {
  const renews = certificate.request_id === null ? undefined : (await findRequest(db, tenantId, certificate.request_id))?.renews
  return renews === undefined || renews === null ? undefined : (await findRenewables(db, tenantId, [renews]))[0]
}
