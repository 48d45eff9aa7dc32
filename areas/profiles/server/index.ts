import { randomUUID } from 'node:crypto'
import { beyondOf } from '#areas/roles/power.ts'
import { requireFreshProof } from '#areas/sessions/proof.ts'
import {
  attributeAccess,
  attributeGroupList,
  attributeNamed,
  isSensitive,
  readAttribute,
  readableValues,
  type AttributeGroup,
} from '#areas/users/attributes.ts'
import { presentPerson } from '#areas/users/presenter.ts'
import { findAttributes, findPerson, holdPerson, updateAttributes } from '#areas/users/service.ts'
import { seeing } from '#areas/users/sight.ts'
import type { FieldFault } from '#core/contract/faults.ts'
import { Id } from '#core/contract/shapes.ts'
import { offer } from '#core/contract/slots.ts'
import { commonFault, faultOfCall, invalidField } from '#core/server/fault.ts'
import type { House } from '#core/server/house.ts'
import { cleanImage } from '#core/server/images/images.ts'
import { serve, type Viewer } from '#core/server/serve.ts'
import { personalData } from '#core/server/slots.ts'
import { needAll } from '#core/server/staged-import/import-handlers.ts'
import { faultyRowsFile, importTurn } from '#core/server/staged-import/staged-import.ts'
import { withTenancy, type Tenancy } from '#core/server/tenancy.ts'
import { actorOf } from '#core/server/visiting.ts'
import { say } from '#standards/say/say.ts'
import { profiles } from '../contract.ts'
import { importing, personImport } from './imports.ts'
import { merging } from './merge.ts'
import { readSealed, writeSealed } from './sealed.ts'
import { deletePersonal, deletePhoto, findPhoto, findPhotoTime, findReads, insertRead, listSealedGroups, updatePhoto } from './store.ts'

export default serve(
  profiles,
  {
    ...importing,
    ...merging,

    async schema(_input, { viewer }) {
      const readable = attributeAccess.readable(viewer, 'all')
      const writable = attributeAccess.writable(viewer, 'all')
      return {
        groups: attributeGroupList.map(({ name, title, fields }) => {
          const names = Object.keys(fields)
          return {
            name,
            title,
            sensitive: isSensitive(name),
            mayRead: names.some((field) => readable.has(field)),
            mayWrite: names.some((field) => writable.has(field)),
            fields: Object.entries(fields).map(([field, { label, source, kind = 'line', most, options = [], protected: guarded }]) => ({
              name: field,
              label,
              kind,
              ...(most === undefined ? {} : { most }),
              options: [...options],
              protected: guarded === true,
              editable: source === 'kept' || source === 'sealed',
            })),
          }
        }),
      }
    },

    async read({ id }, { tenancy, viewer, fault, house }) {
      const seer = await seeing(house, tenancy, viewer, id)
      const person = (await findPerson(tenancy.db, tenancy.tenantId, id)) ?? fault('missing')
      const whose = { ownerId: id }
      const values = { ...presentPerson(person), ...(await findAttributes(tenancy, [id])).get(id) }
      const photoAt = await findPhotoTime(tenancy, id)
      const groups = await listSealedGroups(tenancy, id)
      const writable = attributeAccess.writable(viewer, whose)
      return {
        values: readableValues(seer, whose, values),
        sealed: attributeGroupList.flatMap(({ name, fields }) =>
          groups.includes(name) && attributeAccess.readable(seer, whose).has(Object.keys(fields)[0] ?? '') ? [name] : [],
        ),
        hiddenGroups: attributeAccess.hiddenGroups(seer, whose),
        ...(photoAt === undefined ? {} : { photoAt: photoAt.toISOString() }),
        writable: attributeGroupList.flatMap(({ name, fields }) =>
          Object.keys(fields).some((field) => writable.has(field)) ? [name] : [],
        ),
      }
    },

    async change({ id, values }, { tenancy, viewer, house, emit, fault, now }) {
      needSight(viewer, id)
      if ((await holdPerson(tenancy.db, tenancy.tenantId, id)) === undefined) fault('missing')
      const unwritable = attributeAccess.unwritableAmong(viewer, { ownerId: id }, Object.keys(values))
      if (unwritable.length > 0) fault('unwritable', { params: { fields: unwritable.join(', ') } })
      await needRank(house, tenancy, viewer, id)
      const { kept, sealed } = readValues(values)
      const before = (await findAttributes(tenancy, [id])).get(id) ?? {}
      const { signInPrivilegeStart: begins = '', signInPrivilegeEnd: ends = '' } = { ...before, ...kept }
      if (('signInPrivilegeStart' in kept || 'signInPrivilegeEnd' in kept) && begins !== '' && ends !== '' && ends < begins)
        throw invalidField(
          'signInPrivilegeEnd' in kept ? 'values.signInPrivilegeEnd' : 'values.signInPrivilegeStart',
          say`It ends before it begins`,
        )
      const keptChanges = Object.fromEntries(Object.entries(kept).filter(([name, value]) => (before[name] ?? '') !== value))
      const fields = Object.keys(keptChanges)
      for (const [group, part] of sealed) fields.push(...(await writeSealed(tenancy, house, { userId: id, group, values: part })))
      if (fields.length === 0) return {}
      if (fields.some((name) => attributeNamed(name)?.protected === true)) await requireFreshProof(house, tenancy.db, viewer, now)
      await updateAttributes(tenancy, id, keptChanges)
      emit('changed', { userId: id, fields }, id)
      return {}
    },

    async reveal({ userId, group, purpose }, { viewer, house, fault, transact }) {
      if (!isSensitive(group)) fault('notSensitive')
      return transact(async ({ tenancy, emit }) => {
        const seer = await seeing(house, tenancy, viewer, userId)
        if ((await findPerson(tenancy.db, tenancy.tenantId, userId)) === undefined) fault('missing')
        const values = await readSealed(tenancy, house, userId, group)
        const shown = readableValues(seer, { ownerId: userId }, values)
        const [field = ''] = Object.keys(attributeGroupList.find(({ name }) => name === group)?.fields ?? {})
        if (!attributeAccess.readable(seer, { ownerId: userId }).has(field))
          throw commonFault('denied', { params: { permission: 'userSensitiveView' } })
        if (userId === viewer.userId) return { values: shown }
        await insertRead(tenancy, {
          id: randomUUID(),
          user_id: userId,
          group_name: group,
          reader_id: viewer.userId,
          reader: actorOf(viewer),
          purpose,
          read_at: tenancy.now,
        })
        emit('revealed', { userId, group, purpose }, userId)
        return { values: shown }
      })
    },

    async reads({ userId, page, size }, { tenancy, viewer }) {
      if (userId !== viewer.userId && !viewer.permission.api.includes('audit'))
        throw commonFault('denied', { params: { permission: 'audit' } })
      const { rows, total } = await findReads(tenancy, userId, { page, size })
      return {
        rows: rows.map((row) => ({
          id: row.id,
          group: row.group_name,
          readerId: row.reader_id,
          reader: row.reader,
          purpose: row.purpose,
          readAt: row.read_at.toISOString(),
        })),
        total,
      }
    },

    async setPhoto({ id, photo }, { viewer, house, fault, transact }) {
      const { type, bytes } = await cleanImage(photo, { tenantId: viewer.tenantId, field: 'photo', edge: photoEdge, isPhotograph: true })
      await transact(async ({ tenancy, emit }) => {
        if ((await holdPerson(tenancy.db, tenancy.tenantId, id)) === undefined) fault('missing')
        await needRank(house, tenancy, viewer, id)
        await updatePhoto(tenancy, id, { type, bytes: Buffer.from(bytes) })
        emit('photoChanged', { userId: id }, id)
      })
      return {}
    },

    async removePhoto({ id }, { tenancy, viewer, house, emit, fault }) {
      if ((await holdPerson(tenancy.db, tenancy.tenantId, id)) === undefined) fault('missing')
      await needRank(house, tenancy, viewer, id)
      await deletePhoto(tenancy, id)
      emit('photoChanged', { userId: id }, id)
      return {}
    },
  },
  {
    offers: [offer(personalData, deletePersonal)],
    jobs: { imports: { inTenancy: importTurn(personImport) } },
    endpoints: {
      faultyRows: {
        async handle({ viewer, url, house }) {
          if (viewer === undefined) throw commonFault('not_logged_in')
          needAll(personImport, viewer)
          return faultyRowsFile(house, viewer.tenantId, { kind: personImport, importId: url.searchParams.get('id') ?? '' })
        },
      },
      photo: {
        async handle({ viewer, url, house }) {
          if (viewer === undefined) throw commonFault('not_logged_in')
          const id = Id.safeParse(url.searchParams.get('id'))
          if (!id.success) throw commonFault('missing')
          const photo = await withTenancy(house, viewer.tenantId, async (tenancy) => {
            await seeing(house, tenancy, viewer, id.data)
            return findPhoto(tenancy, id.data)
          })
          if (photo === undefined) throw commonFault('missing')
          return {
            headers: {
              'content-type': photo.type,
              'content-length': String(photo.bytes.length),
              'content-disposition': `attachment; filename="photo.${photo.type === 'image/png' ? 'png' : 'jpg'}"`,
              'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
              'cache-control': 'private, no-store',
              'x-content-type-options': 'nosniff',
            },
            body: photo.bytes,
          }
        },
      },
    },
  },
)

const photoEdge = 512

/** Of oneself, or with the permission of anybody. */
function needSight(viewer: Viewer, userId: string): void {
  if (userId !== viewer.userId && !viewer.permission.api.includes('userView'))
    throw commonFault('denied', { params: { permission: 'userView' } })
}

/** Nobody changes a person who holds more than they do. */
async function needRank(house: Pick<House, 'offers'>, tenancy: Tenancy, viewer: Viewer, userId: string): Promise<void> {
  if (userId === viewer.userId) return
  const more = await beyondOf(house, tenancy, userId, viewer)
  if (more.length > 0) throw faultOfCall(profiles.calls.change, 'beyond', { params: { permissions: more.slice(0, 5).join(', ') } })
}

/** Judges all values before any is written, so that each field is told its fault at once. */
function readValues(values: Readonly<Record<string, string>>): {
  kept: Record<string, string>
  sealed: Map<AttributeGroup, Record<string, string>>
} {
  const kept: Record<string, string> = {}
  const sealed = new Map<AttributeGroup, Record<string, string>>()
  const fields: FieldFault[] = []
  for (const [name, text] of Object.entries(values)) {
    const attribute = attributeNamed(name)
    if (attribute === undefined || (attribute.source !== 'kept' && attribute.source !== 'sealed')) {
      fields.push({ field: `values.${name}`, says: say`This is not changed here` })
      continue
    }
    const read = readAttribute(attribute, text)
    if ('says' in read) fields.push({ field: `values.${name}`, says: read.says })
    else if (attribute.source === 'kept') kept[name] = read.value
    else sealed.set(attribute.group, { ...sealed.get(attribute.group), [name]: read.value })
  }
  if (fields.length > 0) throw commonFault('invalid', { fields })
  return { kept, sealed }
}
