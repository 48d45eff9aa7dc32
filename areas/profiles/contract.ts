import * as z from 'zod'
import { attributeGroupNames } from '#areas/users/attributes.ts'
import { contract } from '#core/contract/contract.ts'
import { importCalls } from '#core/contract/import-calls.ts'
import { Id, Instant, Line, pageOf, PageQuery } from '#core/contract/shapes.ts'

const Group = z.enum(attributeGroupNames)
const Values = z.record(z.string().max(60), z.string().max(2_000))

const Account = z.object({ name: z.string(), username: z.string() })

const merging = {
  same: { status: 400, says: 'Choose another account', field: 'otherId' },
  yourself: { status: 409, says: 'Somebody else merges your own account' },
  beyond: { status: 403, says: 'One of them may do more than you: {permissions}' },
  administrator: { status: 409, says: 'The account that goes is an administrator. Take that role away first', field: 'otherId' },
} as const

const mostPhotoBytes = 14 * 1024 * 1024

const editing = {
  beyond: { status: 403, says: 'This person may do more than you: {permissions}' },
} as const

const unwritable = { status: 403, says: 'You may not change {fields}' } as const

export const PersonImportOptions = z.object({
  /** Who is in the file and not here is added, who is here is changed, or both. */
  mode: z.enum(['add', 'update', 'both']).default('both'),
  /** Whether new people get an activation link by mail. */
  invite: z.enum(['yes', 'no']).default('no'),
})

export const profiles = contract({
  area: 'profiles',
  title: 'User details',
  screens: {
    import: { path: '/identity/user/import', needs: 'userAdd', title: 'Import users', parent: 'users.userList', button: 'Import' },
    merge: {
      path: '/identity/user/merge/:id',
      needs: 'userEdit',
      title: 'Merge two accounts',
      also: 'duplicates, same person twice',
      parent: 'users.view',
      button: 'Merge',
    },
  },
  calls: {
    ...importCalls('User', 'userAdd', PersonImportOptions),
    schema: {
      does: 'Lists the attributes of people in their groups, with what the viewer may read and change.',
      method: 'GET',
      path: '/api2/IDM-v1/UserAttributeSchema',
      needs: 'signedIn',
      tokens: 'any',
      input: z.object({}),
      output: z.object({
        groups: z.array(
          z.object({
            name: Group,
            title: z.string(),
            sensitive: z.boolean(),
            mayRead: z.boolean(),
            mayWrite: z.boolean(),
            fields: z.array(
              z.object({
                name: z.string(),
                label: z.string(),
                kind: z.string(),
                most: z.number().int().optional(),
                options: z.array(z.string()),
                protected: z.boolean(),
                editable: z.boolean(),
              }),
            ),
          }),
        ),
      }),
    },
    read: {
      does: 'Answers the attributes of a user that the viewer may read, by group: of oneself, or with `userView` of anybody; sensitive groups are revealed apart.',
      method: 'GET',
      path: '/api2/IDM-v1/UserAttributes',
      needs: 'signedIn',
      tokens: 'any',
      input: z.object({ id: Id }),
      output: z.object({
        values: Values,
        /** Sensitive groups in which something is kept, and that the viewer may have shown. */
        sealed: z.array(Group),
        /** How many groups the viewer may not read at all. */
        hiddenGroups: z.number().int(),
        /** When the photo was set. */
        photoAt: Instant.optional(),
        writable: z.array(Group),
      }),
    },
    change: {
      does: 'Changes the named attributes of a user and leaves the others; an empty value takes one away. Protected ones ask for a fresh proof.',
      title: 'Change attributes of a user',
      method: 'PUT',
      path: '/api2/IDM-v1/UserAttributes',
      needs: 'signedIn',
      tokens: ['userEdit', 'userSensitiveEdit'],
      input: z.object({ id: Id, values: Values }),
      output: z.object({}),
      done: 'The user was successfully updated',
      failed: 'The user was not updated',
      faults: { ...editing, unwritable },
    },
    previewMerge: {
      does: 'Says what a merge of two accounts would do, and changes nothing: what differs, what goes over, what ends, and what keeps it from being done.',
      method: 'POST',
      path: '/api2/IDM-v1/PreviewMergeUsers',
      needs: 'userEdit',
      reads: true,
      input: z.object({ id: Id, otherId: Id }),
      output: z.object({
        keep: Account,
        other: Account,
        /** What the viewer may choose between. */
        fields: z.array(z.object({ name: z.string(), keep: z.string(), other: z.string() })),
        /** `stays`: what ends because the account that is kept has its own. */
        moves: z.array(z.object({ kind: z.string(), moves: z.number().int(), stays: z.number().int() })),
        /** Sensitive groups of the account that goes: they are not taken over. */
        sealed: z.array(Group),
        blocks: z.array(z.string()),
      }),
      faults: merging,
    },
    merge: {
      does: 'Takes chosen values and what can go over from one account into another of the same person, and deletes the one. Asks for a fresh proof.',
      title: 'Merge two accounts',
      method: 'POST',
      path: '/api2/IDM-v1/MergeUsers',
      needs: 'userEdit',
      /** `take`: the attributes whose value comes from the account that goes. */
      input: z.object({ id: Id, otherId: Id, take: z.array(z.string().max(60)).max(60).default([]) }),
      output: z.object({}),
      done: 'The accounts were merged',
      failed: 'The accounts were not merged',
      faults: {
        ...merging,
        dependants: { status: 409, says: 'Something still depends on the account that goes, and is ended first: {what}' },
        emailTaken: { status: 409, says: 'Somebody else has this e-mail address', constraint: 'users_by_email' },
      },
    },
    reveal: {
      does: 'Answers the attributes of a sensitive group for a stated purpose, which the person can read afterwards.',
      title: 'See sensitive attributes of a user',
      method: 'POST',
      path: '/api2/IDM-v1/RevealUserAttributes',
      needs: 'signedIn',
      // It leaves a record, so a token that only lets its owner see does not open it.
      tokens: ['userSensitiveEdit'],
      input: z.object({ userId: Id, group: Group, purpose: Line(200) }),
      output: z.object({ values: Values }),
      failed: 'Nothing was shown',
      faults: { notSensitive: { status: 400, says: 'This group is shown without a purpose', field: 'group' } },
      unstored: true,
      ownTransactions: true,
    },
    reads: {
      does: 'Lists who was shown sensitive attributes of a user, and what for: of oneself, or with `audit` of anybody.',
      method: 'POST',
      path: '/api2/IDM-v1/SearchUserAttributeReads',
      needs: 'signedIn',
      tokens: 'any',
      reads: true,
      input: PageQuery.extend({ userId: Id }),
      output: pageOf(z.object({ id: Id, group: z.string(), readerId: Id, reader: z.string(), purpose: z.string(), readAt: Instant })),
    },
    setPhoto: {
      does: 'Sets the photo of a user from a data URL of a JPEG, PNG, GIF or BMP; answers nothing.',
      title: 'Set the photo of a user',
      method: 'PUT',
      path: '/api2/IDM-v1/UserPhoto',
      needs: 'userEdit',
      input: z.object({ id: Id, photo: z.string().max(mostPhotoBytes) }),
      output: z.object({}),
      done: 'The user was successfully updated',
      failed: 'The photo was not set',
      faults: editing,
      bodyLimit: mostPhotoBytes + 1_024,
      ownTransactions: true,
    },
    removePhoto: {
      does: 'Takes the photo of a user away; answers nothing.',
      title: 'Remove the photo of a user',
      method: 'DELETE',
      path: '/api2/IDM-v1/UserPhoto',
      needs: 'userEdit',
      input: z.object({ id: Id }),
      output: z.object({}),
      done: 'The user was successfully updated',
      failed: 'The photo was not removed',
      faults: editing,
    },
  },
  jobs: {
    imports: { title: 'Go on with imports of users', every: '*/5 * * * *' },
  },
  endpoints: {
    faultyRows: { method: 'GET', path: '/api2/IDM-v1/FaultyUserRows', needs: 'userAdd' },
    photo: { method: 'GET', path: '/api2/IDM-v1/UserPhotoFile', needs: 'signedIn', tokens: 'any' },
  },
  events: {
    merged: {
      says: 'Merged two accounts',
      body: z.object({
        userId: Id,
        otherId: Id,
        username: z.string(),
        name: z.string(),
        fields: z.array(z.string()),
        moved: z.array(z.object({ kind: z.string(), count: z.number().int() })),
      }),
    },
    changed: { says: 'Changed attributes of a user', body: z.object({ userId: Id, fields: z.array(z.string()) }) },
    revealed: { says: 'Saw sensitive attributes of a user', body: z.object({ userId: Id, group: z.string(), purpose: z.string() }) },
    photoChanged: { says: 'Changed the photo of a user', body: z.object({ userId: Id }) },
  },
})
