import { randomUUID } from 'node:crypto'
import { applications } from '#areas/applications/contract.ts'
import { findProgramApplication, viewerOfApplication } from '#areas/applications/service.ts'
import { bearers } from '#areas/sessions/bearers.ts'
import { requireFreshProof } from '#areas/sessions/proof.ts'
import { replaceProgramKeys } from '#areas/users/programs.ts'
import { offer } from '#core/contract/slots.ts'
import { on, serve } from '#core/server/serve.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import { say } from '#standards/say/say.ts'
import { kubernetes } from '../contract.ts'
import { audienceOf, readKeySet } from '../rules.ts'
import { deleteCluster, findCluster, findClusterPage, insertCluster, listClustersOf } from './store.ts'
import { judgeToken, readBearer, readClaims } from './token.ts'

export default serve(
  kubernetes,
  {
    async search({ page, size }, { tenancy }) {
      const { rows, total } = await findClusterPage(tenancy, { page, size })
      return {
        rows: await Promise.all(
          rows.map(async ({ id, name, issuer, subjects, application_id, key_set, added_at }) => ({
            id,
            name,
            issuer,
            subjects,
            application: { id: application_id, name: (await findProgramApplication(tenancy, application_id))?.name ?? '' },
            keys: key_set.keys.length,
            addedAt: added_at.toISOString(),
          })),
        ),
        total,
        audience: audienceOf(tenancy.tenantId),
      }
    },

    async add({ name, issuer, keySet, subjects, applicationId }, { tenancy, viewer, house, now, emit, fault }) {
      await requireFreshProof(house, tenancy.db, viewer, now)
      const keys = readKeySet(keySet) ?? fault('noKeys')
      const application = (await findProgramApplication(tenancy, applicationId)) ?? fault('unknownApplication')
      // Whoever has a token of the cluster can do what the application can.
      if (application.scopes.some((scope) => !viewer.permission.api.includes(scope))) fault('beyond')
      const id = randomUUID()
      await insertCluster(tenancy, { id, name, issuer, key_set: keys, subjects: [...new Set(subjects)], application_id: applicationId })
      await tellKeys(tenancy, applicationId)
      emit('added', { clusterId: id, name, applicationId }, id)
      return { id }
    },

    async remove({ id }, { tenancy, emit, fault }) {
      const row = (await findCluster(tenancy, id)) ?? fault('missing')
      await deleteCluster(tenancy, id)
      await tellKeys(tenancy, row.application_id)
      emit('removed', { clusterId: id, name: row.name, applicationId: row.application_id }, id)
      return {}
    },

    async try({ token }, { tenancy, request }) {
      const claims = readClaims(token)
      const judged = await judgeToken(tenancy, token)
      const found = 'cluster' in judged ? judged.cluster : undefined
      const viewer =
        found && (await viewerOfApplication(tenancy, found.application_id, { address: request.address, credentialId: found.id }))
      const application = found && (await findProgramApplication(tenancy, found.application_id))
      return {
        accepted: viewer !== undefined,
        reason:
          'refused' in judged
            ? judged.refused
            : viewer === undefined
              ? say`The application is off, has ended, or is not let in from this network`
              : '',
        issuer: claims?.iss ?? '',
        subject: claims?.sub ?? '',
        audience: [claims?.aud ?? []].flat(),
        ...(claims?.exp === undefined ? {} : endsAt(claims.exp)),
        application: application?.name ?? '',
      }
    },
  },
  {
    offers: [offer(bearers, readBearer)],
    subscriptions: [
      on(applications.events.removed, ({ tenantId, about }, house) =>
        house.work(tenantId, { name: 'Kubernetes' }, async ({ tenancy, emitFor }) => {
          for (const { id, name } of await listClustersOf(tenancy, about)) {
            await deleteCluster(tenancy, id)
            emitFor(kubernetes)('removed', { clusterId: id, name, applicationId: about }, id)
          }
        }),
      ),
    ],
  },
)

/** A stranger's token may say anything. */
const endsAt = (seconds: number): { ends?: string } => {
  const at = new Date(seconds * 1_000)
  return Number.isNaN(at.getTime()) ? {} : { ends: at.toISOString() }
}

const tellKeys = async (tenancy: Tenancy, applicationId: string): Promise<void> =>
  replaceProgramKeys(
    tenancy,
    'kubernetes',
    applicationId,
    (await listClustersOf(tenancy, applicationId)).map(({ id }) => ({ id, ends_at: null })),
  )
