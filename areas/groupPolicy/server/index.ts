import { createHash, randomUUID } from 'node:crypto'
import { allOfTenancy } from '#areas/authorities/service.ts'
import { to } from '#core/contract/paths.ts'
import { readUpload } from '#core/server/attachments/attachments.ts'
import { commonFault, invalidField } from '#core/server/fault.ts'
import { serve } from '#core/server/serve.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import { groupPolicy } from '../contract.ts'
import { changesBetween, wordOf, type Setting, type Verdict } from '../rules.ts'
import { readBackup, type Backup, type DistributedCertificate } from './read-backup.ts'
import {
  deleteGpo,
  deleteReadings,
  findNamed,
  findPage,
  findRows,
  insertReading,
  listReadings,
  upsertGpo,
  type GpoRecord,
  type ReadingRecord,
} from './store.ts'

/** Older readings of a policy go when there are more. */
const mostReadings = 50
const mostUpload = 20 * 1024 * 1024
const mostContent = 4 * 1024 * 1024
const mostChanges = 500

export default serve(
  groupPolicy,
  {
    async search(question, { tenancy }) {
      const { rows, total } = await findPage(tenancy, question)
      return {
        rows: rows.map(({ id, guid, name, read_at, readings }) => ({
          id,
          guid,
          name,
          readAt: read_at.toISOString(),
          readings,
        })),
        total,
      }
    },

    async view({ id, reading: wanted }, { tenancy, fault }) {
      const [gpo = fault('missing')] = await findRows(tenancy, [id])
      const readings = await listReadings(tenancy, id, mostReadings)
      const at = wanted === undefined ? 0 : readings.findIndex((one) => one.id === wanted)
      const row = readings[at] ?? fault('missing')
      const backup = contentOf(row)
      const before = readings[at + 1]
      const ours = await authoritiesBySha1(tenancy)
      const distributed = new Set(backup.certificates.filter(({ store }) => store === 'Root').map(({ thumbprint }) => thumbprint))
      return {
        id,
        guid: gpo.guid,
        name: gpo.name,
        reading: presentReading(row),
        readings: readings.map(presentReading),
        areas: [...Map.groupBy(backup.settings, ({ area }) => area)].map(([name, settings]) => ({
          name,
          settings: settings.map(presentSetting),
        })),
        certificates: backup.certificates.map(({ matches, until, ...one }) => {
          const authority = ours.get(one.thumbprint)
          return {
            ...one,
            ...(until === undefined ? {} : { until }),
            verdict: verdictOf(matches, authority?.valid),
            ...(authority === undefined ? {} : { authorityId: authority.caId }),
          }
        }),
        missingRoots: [...ours].flatMap(([sha1, { caId, name, isRoot, valid }]) =>
          isRoot && valid && !distributed.has(sha1) ? [{ authorityId: caId, name }] : [],
        ),
        autoEnrolment: backup.autoEnrolment,
        findings: backup.findings,
        scripts: backup.scripts,
        changes: before === undefined ? [] : changesBetween(comparable(contentOf(before)), comparable(backup)).slice(0, mostChanges),
      }
    },

    async remove({ id }, { tenancy, emit, fault }) {
      const [{ name } = fault('missing')] = await findRows(tenancy, [id])
      await deleteGpo(tenancy, id)
      emit('removed', { gpoId: id, name }, id)
      return {}
    },
  },
  {
    endpoints: {
      upload: {
        bodyLimit: mostUpload,
        async handle(request) {
          const { viewer, house, facts } = request
          if (viewer === undefined) throw commonFault('not_logged_in')
          const backup = readBackup((await readUpload(request)).bytes)
          const { guid, name, computerVersion, userVersion, ...content } = backup
          const text = JSON.stringify(content)
          if (text.length > mostContent) throw invalidField('file', 'The group policy holds more than 4 MB of settings')
          const actor = { userId: viewer.userId, name: viewer.username, address: facts.address }
          const id = await house.work(viewer.tenantId, actor, async ({ tenancy, emitFor }) => {
            const gpoId = await upsertGpo(tenancy, { id: randomUUID(), guid, name })
            const old = (await listReadings(tenancy, gpoId, mostReadings + 1)).slice(mostReadings - 1)
            await deleteReadings(
              tenancy,
              gpoId,
              old.map((one) => one.id),
            )
            await insertReading(tenancy, {
              id: randomUUID(),
              gpo_id: gpoId,
              read_by: viewer.username,
              computer_version: computerVersion,
              user_version: userVersion,
              content: text,
            })
            emitFor(groupPolicy)('read', { gpoId, name, settings: content.settings.length }, gpoId)
            return gpoId
          })
          return { headers: { 'content-type': 'application/json' }, body: JSON.stringify({ id }) }
        },
      },
    },

    records: {
      gpo: {
        names: async (tenancy, ids) => (await findRows(tenancy, ids)).map(({ id, name }) => ({ id, name, path: pathOf(id) })),
        seek: async (tenancy, { text, most }) => (await findNamed(tenancy, text, most)).map(({ id }) => id),
        search: async (tenancy, { text, most }) =>
          (await findNamed(tenancy, text, most)).map(({ id, name, guid }: GpoRecord) => ({
            id,
            label: name,
            detail: guid,
            path: pathOf(id),
          })),
      },
    },
  },
)

type Content = Omit<Backup, 'guid' | 'name' | 'computerVersion' | 'userVersion'>

const pathOf = (id: string): string => to(groupPolicy.screens.view, { id })

/** Written by this room alone. */
const contentOf = ({ content }: ReadingRecord): Content => JSON.parse(content) as Content

const presentReading = ({ id, read_at, read_by, computer_version, user_version }: ReadingRecord) => ({
  id,
  readAt: read_at.toISOString(),
  readBy: read_by,
  computerVersion: computer_version,
  userVersion: user_version,
})

const presentSetting = ({ path, name, value }: Setting) => {
  const says = wordOf({ path, name })?.label
  return { path, name, value, ...(says === undefined ? {} : { says }) }
}

const verdictOf = (matches: boolean, valid: boolean | undefined): Verdict =>
  !matches ? 'mismatch' : valid === undefined ? 'foreign' : valid ? 'current' : 'ended'

/** Settings and certificates alike, so that both are compared. */
const comparable = ({ settings, certificates }: Content): Setting[] => [
  ...settings,
  ...certificates.map(({ side, store, thumbprint, subject }: DistributedCertificate) => ({
    area: side,
    path: store,
    name: thumbprint,
    value: subject,
  })),
]

/** The authorities of the tenancy, by the thumbprint that Windows calls them by. */
async function authoritiesBySha1(tenancy: Tenancy) {
  const all = await allOfTenancy(tenancy.db, tenancy.tenantId, tenancy.now)
  return new Map(
    all.flatMap(({ caId, friendlyName: name, kind, certificate, status, revoked }) =>
      certificate === undefined
        ? []
        : [
            [
              createHash('sha1').update(certificate).digest('hex'),
              { caId, name, isRoot: kind === 'root', valid: status === 'ActiveCert' && !revoked },
            ] as const,
          ],
    ),
  )
}
