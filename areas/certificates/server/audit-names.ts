import { registerNames } from '#areas/audit/names.ts'
import { to } from '#core/contract/paths.ts'
import { certificates } from '../contract.ts'
import { certificateNames } from './certificate-store.ts'
import { viewPath } from './notices.ts'
import { requestSubjects } from './request-store.ts'

const { view, approval } = certificates.screens

/** As the audit log shows what an event is about. What was issued at once has the id of its request, and goes by its certificate. */
export function nameForAudit(): void {
  registerNames('certificate', {
    needs: view.needs,
    find: async (db, tenantId, ids) => (await certificateNames(db, tenantId, ids)).map((row) => ({ id: row.id, name: row.name, detail: row.serial_hex, path: viewPath(row) })),
  })
  registerNames('request', {
    needs: approval.needs,
    find: async (db, tenantId, ids) => (await requestSubjects(db, tenantId, ids)).map(({ id, subject }) => ({ id, name: subject, path: to(approval, { id }) })),
  })
}
