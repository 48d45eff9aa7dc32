// The calls about external authorities: where each is, and our account there.

import { generateKeyPairSync, randomUUID } from 'node:crypto'
import type * as z from 'zod'
import { sealForTenant } from '#areas/keys/sealing.ts'
import type { FieldFault } from '#core/contract/faults.ts'
import { faultOfConstraint, invalidField } from '#core/server/fault.ts'
import type { House } from '#core/server/house.ts'
import type { Handlers } from '#core/server/serve.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import { rootsFault } from '#core/server/trusted-roots.ts'
import { say } from '#standards/say/say.ts'
import { ordering } from '../contract.ts'
import type { AuthorityDraft } from '../shapes.ts'
import { countOrders } from './order-store.ts'
import { authorityPurpose, eabPurpose } from './sealing.ts'
import { deleteAuthority, findAuthorities, findAuthority, insertAuthority, updateAuthority } from './store.ts'
import { OrderFault, readDirectory } from './wire.ts'

type Draft = z.output<typeof AuthorityDraft> & { eabSecret?: string | undefined }
type AuthorityCalls = Pick<
  Handlers<typeof ordering>,
  'authorities' | 'authority' | 'addAuthority' | 'changeAuthority' | 'removeAuthority' | 'checkDirectory'
>

async function faultsOf(
  house: House,
  tenantId: string,
  { directoryUrl, roots, eabKid, eabSecret }: Draft,
  stored: boolean,
): Promise<FieldFault[]> {
  const faults: FieldFault[] = []
  const closed = await house.outward.refusal({ use: 'acmeClient', url: directoryUrl, tenantId })
  if (closed !== undefined) faults.push({ field: 'directoryUrl', says: closed.message })
  const unreadable = rootsFault(roots)
  if (unreadable !== undefined) faults.push({ field: 'roots', says: unreadable })
  if (eabKid !== '' && (eabSecret ?? '') === '' && !stored)
    faults.push({ field: 'eabSecret', says: say`Enter the HMAC key that belongs to the key id` })
  if (eabKid === '' && (eabSecret ?? '') !== '') faults.push({ field: 'eabKid', says: say`Enter the key id that belongs to the HMAC key` })
  return faults
}

/** The key of an account is one of P-256: every authority takes it (RFC 8555 6.2). */
const newAccountKey = (): Buffer => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'der', type: 'pkcs8' })

async function sealed({ db, tenantId, now }: Tenancy, house: House, purpose: string, plain: Buffer) {
  const secret = await sealForTenant(db, house, { tenantId, purpose, plain, now })
  plain.fill(0)
  return secret
}

const columnsOf = ({ name, directoryUrl, contact, eabKid, preferredChain, roots }: Draft) => ({
  name,
  directory_url: directoryUrl,
  contact,
  eab_kid: eabKid,
  preferred_chain: preferredChain,
  roots: roots.trim(),
})

export const authorityCalls: AuthorityCalls = {
  async authorities(question, { tenancy }) {
    const { rows, total } = await findAuthorities(tenancy, question)
    const counts = await countOrders(tenancy, 'authority_id')
    return {
      rows: rows.map((row) => ({
        id: row.id,
        name: row.name,
        directoryUrl: row.directory_url,
        registered: row.account_url !== null,
        orders: counts.get(row.id) ?? 0,
      })),
      total,
    }
  },

  async authority({ id }, { tenancy, fault }) {
    const row = (await findAuthority(tenancy, id)) ?? fault('missing')
    return {
      id,
      version: row.version,
      name: row.name,
      directoryUrl: row.directory_url,
      roots: row.roots,
      contact: row.contact,
      eabKid: row.eab_kid,
      preferredChain: row.preferred_chain,
      agreed: true,
      ...(row.account_url === null ? {} : { accountUrl: row.account_url }),
    }
  },

  async addAuthority(draft, { transact, viewer, house, fault }) {
    const faults = await faultsOf(house, viewer.tenantId, draft, false)
    if (faults.length > 0) return fault('invalid', { fields: faults })
    return transact(async ({ tenancy, emit }) => {
      const id = randomUUID()
      const account = await sealed(tenancy, house, authorityPurpose(id), newAccountKey())
      const eab =
        draft.eabKid === '' ? undefined : await sealed(tenancy, house, eabPurpose(id), Buffer.from(draft.eabSecret ?? '', 'base64url'))
      await insertAuthority(tenancy, {
        tenant_id: tenancy.tenantId,
        id,
        ...columnsOf(draft),
        eab_sealed: eab?.sealed ?? null,
        eab_tenant_key_id: eab?.tenantKeyId ?? null,
        account_key_sealed: account.sealed,
        tenant_key_id: account.tenantKeyId,
        account_url: null,
        version: 1,
        created_at: tenancy.now,
        updated_at: tenancy.now,
      }).catch((error: unknown) => {
        throw faultOfConstraint(ordering.calls.addAuthority, error)
      })
      emit('authorityAdded', { authorityId: id, name: draft.name, directoryUrl: draft.directoryUrl }, id)
      return { id }
    })
  },

  async changeAuthority({ id, version, ...draft }, { transact, viewer, house, fault }) {
    const before = await transact(async ({ tenancy }) => (await findAuthority(tenancy, id)) ?? fault('missing'))
    const isOther = before.directory_url !== draft.directoryUrl
    // Another address gets neither the account nor the secret of the one before.
    const stored = before.eab_sealed !== null && before.eab_kid === draft.eabKid && !isOther
    const faults = await faultsOf(house, viewer.tenantId, draft, stored)
    if (faults.length > 0) return fault('invalid', { fields: faults })
    return transact(async ({ tenancy, emit }) => {
      const hasNewSecret = (draft.eabSecret ?? '') !== ''
      const eab = hasNewSecret ? await sealed(tenancy, house, eabPurpose(id), Buffer.from(draft.eabSecret ?? '', 'base64url')) : undefined
      const account = isOther ? await sealed(tenancy, house, authorityPurpose(id), newAccountKey()) : undefined
      const changed = await updateAuthority(
        tenancy,
        { id, version },
        {
          ...columnsOf(draft),
          ...(draft.eabKid === '' ? { eab_sealed: null, eab_tenant_key_id: null } : {}),
          ...(eab === undefined ? {} : { eab_sealed: eab.sealed, eab_tenant_key_id: eab.tenantKeyId }),
          ...(account === undefined ? {} : { account_key_sealed: account.sealed, tenant_key_id: account.tenantKeyId, account_url: null }),
        },
      ).catch((error: unknown) => {
        throw faultOfConstraint(ordering.calls.changeAuthority, error)
      })
      if (changed === undefined) return fault('conflict')
      emit('authorityChanged', { authorityId: id, name: draft.name, directoryUrl: draft.directoryUrl }, id)
      return { version: changed }
    })
  },

  async removeAuthority({ id }, { tenancy, emit, fault }) {
    if (((await countOrders(tenancy, 'authority_id')).get(id) ?? 0) > 0) fault('inUse')
    const name = (await deleteAuthority(tenancy, id)) ?? fault('missing')
    emit('authorityRemoved', { authorityId: id, name }, id)
    return {}
  },

  async checkDirectory({ directoryUrl, roots }, { house, viewer }) {
    const unreadable = rootsFault(roots)
    if (unreadable !== undefined) throw invalidField('roots', unreadable)
    try {
      const directory = await readDirectory(house, viewer.tenantId, { directoryUrl, roots })
      return {
        eabRequired: directory.eabRequired,
        renewalInformation: directory.renewalInfo !== undefined,
        profiles: directory.profiles,
        ...(directory.termsOfService === undefined ? {} : { termsOfService: directory.termsOfService }),
        ...(directory.website === undefined ? {} : { website: directory.website }),
      }
    } catch (error) {
      if (error instanceof OrderFault) throw invalidField('directoryUrl', error.message)
      throw error
    }
  },
}
