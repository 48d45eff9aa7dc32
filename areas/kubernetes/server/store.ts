// The clusters whose service accounts come as applications.

import type { ColumnType } from 'kysely'
import type { Database } from '#core/server/database.ts'
import { readPage } from '#core/server/page-store.ts'
import type { Tenancy } from '#core/server/tenancy.ts'

export type KeySet = { keys: { kty: string }[] }
export type ClusterRecord = {
  tenant_id: string
  id: string
  name: string
  issuer: string
  key_set: KeySet
  subjects: string[]
  application_id: string
  added_at: Date
}

type Tables = { kubernetes_clusters: Omit<ClusterRecord, 'key_set'> & { key_set: ColumnType<KeySet, string, string> } }
const tables = (db: Database) => db.withTables<Tables>()
const clusters = ({ db, tenantId }: Tenancy) => tables(db).selectFrom('kubernetes_clusters').where('tenant_id', '=', tenantId)

export const findClusterPage = (tenancy: Tenancy, part: { page: number; size: number }) =>
  readPage(clusters(tenancy), part, (all) => all.selectAll().orderBy('name').orderBy('id'))

export const findCluster = (tenancy: Tenancy, id: string): Promise<ClusterRecord | undefined> =>
  clusters(tenancy).selectAll().where('id', '=', id).executeTakeFirst()

export const findClusterOf = (tenancy: Tenancy, issuer: string): Promise<ClusterRecord | undefined> =>
  clusters(tenancy).selectAll().where('issuer', '=', issuer).executeTakeFirst()

export const listClustersOf = (tenancy: Tenancy, applicationId: string): Promise<ClusterRecord[]> =>
  clusters(tenancy).selectAll().where('application_id', '=', applicationId).execute()

/** Throws where a cluster has the issuer: the constraint `kubernetes_clusters_by_issuer`. */
export async function insertCluster({ db, tenantId, now }: Tenancy, cluster: Omit<ClusterRecord, 'tenant_id' | 'added_at'>): Promise<void> {
  await tables(db)
    .insertInto('kubernetes_clusters')
    .values({ tenant_id: tenantId, ...cluster, key_set: JSON.stringify(cluster.key_set), added_at: now })
    .execute()
}

export async function deleteCluster({ db, tenantId }: Tenancy, id: string): Promise<void> {
  await tables(db).deleteFrom('kubernetes_clusters').where('tenant_id', '=', tenantId).where('id', '=', id).execute()
}
