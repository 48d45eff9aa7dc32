// Keeping the inventory in order: who answers for a certificate, its tags, what was uploaded and is used no more, or never belonged here.

import * as z from 'zod'
import { bulkAction, faultsOf, oneByOne } from '#areas/bulk/service.ts'
import { findPerson, findUsername, fullName } from '#areas/users/service.ts'
import type { Database } from '#core/server/database.ts'
import { invalidField } from '#core/server/fault.ts'
import type { Emit, Handlers, Viewer } from '#core/server/serve.ts'
import { encodePem } from '#standards/pem/pem.ts'
import { say } from '#standards/say/say.ts'
import { escapeControls } from '#standards/x509/names.ts'
import { certificates } from '../../contract.ts'
import { assignAction, mostTags } from '../../rules.ts'
import { SearchedCertificates, Tag } from '../../shapes.ts'
import { changeCertificate, lockCertificate } from './certificate-store.ts'
import { selectCertificates } from './chosen-store.ts'
import { answersRequest, changeSaid, chosenFiles, deleteExternal, type Said } from './keeping-store.ts'

type KeepingHandlers = Pick<Handlers<typeof certificates>, 'assign' | 'markReplaced' | 'removeUploaded' | 'downloadMany'>

type Assigned = {
  owner?: string | undefined
  tags?: readonly string[] | undefined
  addTags?: readonly string[]
  removeTags?: readonly string[]
}

/** The person of a username, for the record: none where it is empty. */
async function ownerOf(db: Database, tenantId: string, username: string): Promise<Required<Pick<Said, 'owner' | 'owner_user_id'>>> {
  if (username === '') return { owner: '', owner_user_id: null }
  const found = await findUsername(db, username)
  const person = found?.tenantId === tenantId ? await findPerson(db, tenantId, found.userId) : undefined
  if (person === undefined) throw invalidField('owner', say`There is no user of this name`)
  return { owner: fullName(person), owner_user_id: person.id }
}

const sameTag = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()
const distinct = (tags: readonly string[]): string[] => tags.filter((tag, at) => tags.findIndex((one) => sameTag(one, tag)) === at)

type Assigning = {
  db: Database
  viewer: Viewer
  emit: Emit<typeof certificates>
  fault: (code: 'noSuchCertificate') => never
}

async function assign({ db, viewer, emit, fault }: Assigning, certificateId: string, asked: Assigned): Promise<'assigned' | 'asItWas'> {
  const { tenantId } = viewer
  const owner = asked.owner === undefined ? {} : await ownerOf(db, tenantId, asked.owner)
  const record = (await lockCertificate(db, tenantId, certificateId)) ?? fault('noSuchCertificate')
  const { removeTags = [], addTags = [] } = asked
  const kept = (asked.tags ?? record.tags).filter((tag) => !removeTags.some((gone) => sameTag(gone, tag)))
  const tags = distinct([...kept, ...addTags])
  if (tags.length > mostTags) throw invalidField('tags', say`A certificate has at most ${mostTags} tags`)
  const said: Said = { ...owner, tags }
  const isSame =
    (said.owner_user_id === undefined || said.owner_user_id === record.owner_user_id) &&
    JSON.stringify(tags) === JSON.stringify(record.tags)
  if (isSame) return 'asItWas'
  await changeSaid(db, tenantId, record, said)
  emit('assigned', { certificateId, owner: said.owner ?? record.owner, tags }, certificateId)
  return 'assigned'
}

const mostFiles = 1_000

export const keepingHandlers: KeepingHandlers = {
  async downloadMany({ selection: { selectAll, inclusionList, exclusionList }, query }, { db, viewer, now, fault }) {
    const selected = selectAll ? { without: exclusionList } : { ids: inclusionList }
    const chosen = selectCertificates(db, viewer.tenantId, query, selected, now)
    const files = await chosenFiles(db, chosen, viewer.tenantId, mostFiles + 1)
    if (files.length > mostFiles) return fault('tooMany')
    // A name is text of others: no line of it may look like one of the file.
    const parts = files.map(
      ({ name, serial_hex: serial, certificate }) => `# ${escapeControls(name)} (${serial})\n${encodePem('CERTIFICATE', certificate)}`,
    )
    return { fileName: 'certificates.pem', mediaType: 'application/x-pem-file', content: Buffer.from(parts.join('\n')).toString('base64') }
  },

  async assign({ certificateId, ...asked }, { db, viewer, emit, fault }) {
    await assign({ db, viewer, emit, fault }, certificateId, asked)
    return { certificateId }
  },

  async markReplaced({ certificateId, replaced }, { db, viewer, now, emit, fault }) {
    const { tenantId } = viewer
    const record = (await lockCertificate(db, tenantId, certificateId)) ?? fault('noSuchCertificate')
    if (record.ca_id !== null) return fault('issuedHere')
    if ((record.replaced_at !== null) === replaced) return { certificateId }
    await changeCertificate(db, tenantId, certificateId, { replaced_at: replaced ? now : null })
    emit('markedReplaced', { certificateId, replaced }, certificateId)
    return { certificateId }
  },

  async removeUploaded({ certificateId }, { db, viewer, emit, fault }) {
    const { tenantId } = viewer
    const record = (await lockCertificate(db, tenantId, certificateId)) ?? fault('noSuchCertificate')
    if (record.ca_id !== null) return fault('issuedHere')
    if (await answersRequest(db, tenantId, certificateId)) return fault('answersRequest')
    await deleteExternal(db, tenantId, certificateId)
    emit('removed', { certificateId, subject: record.subject, sha256: record.fingerprint_sha256 }, certificateId)
    return {}
  },
}

const tagsIn = (text: string): string[] =>
  text
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '')

/** Tags in one text, as the confirmation asks for them. It stays a text: what was confirmed is read once more when it is done. */
const TagList = z
  .string()
  .max(2000)
  .default('')
  .refine((text) => z.array(Tag).max(mostTags).safeParse(tagsIn(text)).success, `Enter at most ${mostTags} tags, separated by commas`)

export const assignMany = bulkAction({
  name: assignAction,
  needs: certificates.calls.assign.needs,
  query: SearchedCertificates,
  parameters: z
    .object({
      owner: z.enum(['keep', 'set', 'none']).default('keep'),
      username: z.string().trim().max(200).default(''),
      addTags: TagList,
      removeTags: TagList,
    })
    .refine(({ owner, username }) => owner !== 'set' || username !== '', { path: ['username'], message: say`Enter a username` })
    .refine(({ owner, addTags, removeTags }) => owner !== 'keep' || tagsIn(addTags).length + tagsIn(removeTags).length > 0, {
      path: ['addTags'],
      message: say`Nothing would change: choose an owner, or enter a tag`,
    }),
  targets: (db, { tenantId, query, selected, now }) => selectCertificates(db, tenantId, query, selected, now),
  perform: oneByOne(({ db, emitFor }, { viewer }, { id }, { owner, username, addTags, removeTags }) =>
    assign({ db, viewer, emit: emitFor(certificates), fault: faultsOf(certificates.calls.assign) }, id, {
      ...(owner === 'keep' ? {} : { owner: owner === 'none' ? '' : username }),
      addTags: tagsIn(addTags),
      removeTags: tagsIn(removeTags),
    }),
  ),
})
