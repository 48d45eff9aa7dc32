import { listUsableIssuers } from '#areas/authorities/licensing.ts'
import { askAnonymously, anonymousViewOf, faultsOfAnonymous, waitingAnonymous } from '#areas/certificates/anonymous.ts'
import { anonymous } from '#areas/certificates/rules.ts'
import { linkTo } from '#areas/mail/service.ts'
import { askedValues } from '#areas/templates/plan.ts'
import { certificateClasses, keyKinds, orderTemplates, type Entity } from '#areas/templates/rules.ts'
import { listTemplates, type Template } from '#areas/templates/service.ts'
import { findTenancy } from '#areas/tenancy/service.ts'
import { to } from '#core/contract/paths.ts'
import { inTenant, type Database } from '#core/server/database.ts'
import { Fault } from '#core/server/fault.ts'
import { countAttempt, networkOf } from '#core/server/limits.ts'
import { makeTenantSecret, readTenantSecret } from '#core/server/secrets.ts'
import { serve, type RequestFacts } from '#core/server/serve.ts'
import { actorOf } from '#core/server/visiting.ts'
import { say } from '#standards/say/say.ts'
import { portal } from '../contract.ts'
import { mostWaiting, portalCookie, portalPriority, sessionMinutes } from '../rules.ts'
import { deletePortal, findPortal, insertReceipt, insertSession, isOpenSession, isReceipt, putPortal } from './store.ts'

/** The templates that may be asked for anonymously now: switched on, opened to them, for devices, and of an authority that can issue. */
async function openTemplates(db: Database, tenantId: string, now: Date): Promise<{ template: Template; caName: string }[]> {
  const issuers = new Map((await listUsableIssuers(db, tenantId, now)).map((issuer) => [issuer.caId, issuer]))
  return (await listTemplates(db, tenantId, now)).flatMap((template) => {
    const issuer = issuers.get(template.caId)
    const entities: readonly Entity[] = certificateClasses[template.class].entities
    const open =
      template.enabled &&
      template.anonymousEnabled &&
      template.accessLevel !== 'ADMINISTRATOR' &&
      template.extensions.keyArchival !== true &&
      entities.includes('device')
    return open && issuer?.enabled === true && issuer.status === 'ActiveCert' ? [{ template, caName: issuer.friendlyName }] : []
  })
}

/** The tenancy of the anonymous session; undefined where there is none that holds. */
async function tenantOf(
  db: Database,
  { cookies }: RequestFacts,
  enter: (tenantId: string) => Promise<void>,
  now: Date,
): Promise<string | undefined> {
  const found = readTenantSecret('', cookies[portalCookie] ?? '')
  if (found === undefined) return undefined
  await enter(found.tenantId)
  return (await isOpenSession(db, found.tenantId, found.hash, now)) ? found.tenantId : undefined
}

const nameOf = ({ displayName, templateName }: Template): string => displayName || templateName

async function brandOf(db: Database, tenantId: string) {
  const tenancy = await findTenancy(db, tenantId)
  return { tenancyName: tenancy?.name ?? '', bannerColour: tenancy?.bannerColour ?? '', supportEmail: tenancy?.supportEmail ?? '' }
}

export default serve(portal, {
  async openSession({ code }, { db, now, enter, actAs, emit, fault, request, respond }) {
    const tenantId = readTenantSecret('', code)?.tenantId ?? fault('invalidCode')
    await enter(tenantId)
    if ((await findPortal(db, tenantId))?.code !== code) fault('invalidCode')
    const expiresAt = new Date(now.getTime() + sessionMinutes * 60_000)
    const { text, hash } = makeTenantSecret('', tenantId)
    await insertSession(db, { tenant_id: tenantId, secret_hash: hash, code, expires_at: expiresAt }, now)
    respond.cookie(portalCookie, text, { maxAgeSeconds: sessionMinutes * 60 })
    actAs({ userId: anonymous.id, name: anonymous.name })
    emit('opened', {})
    // Not given back where it succeeds: each session costs a little of what its address may do.
    await countAttempt(db, 'publicLink', { address: request.address }, now)
    return { ...(await brandOf(db, tenantId)), expiresAt: expiresAt.toISOString() }
  },

  async templates(_input, { db, now, enter, fault, request }) {
    const tenantId = (await tenantOf(db, request, enter, now)) ?? fault('noSession')
    const rows = (await openTemplates(db, tenantId, now)).map(({ template, caName }) => ({
      templateId: template.id,
      licensedTemplateId: template.licensedTemplateId,
      caName,
      templateName: template.templateName,
      displayName: nameOf(template),
      priority: portalPriority,
      asks: askedValues(template, 'device'),
      ignoreCsrDetails: template.extensions.ignoreCsrDetails,
      keys: template.rules.keys.map((name) => keyKinds[name].label),
    }))
    const templates = orderTemplates(rows, ({ priority }) => priority).map(
      ({ licensedTemplateId: _id, caName: _ca, templateName: _name, ...row }) => row,
    )
    return { tenancyName: (await findTenancy(db, tenantId))?.name ?? '', templates }
  },

  async request({ templateId, csr, values, contactEmail, comment }, { now, enter, actAs, fault, house, request, transact }) {
    const secret = readTenantSecret('', request.cookies[portalCookie] ?? '') ?? fault('noSession')
    const { tenantId } = secret
    const seen = await inTenant(house.database, tenantId, async (db) =>
      (await isOpenSession(db, tenantId, secret.hash, now))
        ? {
            offered: (await openTemplates(db, tenantId, now)).some(({ template }) => template.id === templateId),
            waiting: await waitingAnonymous(db, tenantId),
          }
        : undefined,
    )
    if (seen === undefined) return fault('noSession')
    await enter(tenantId)
    actAs({ userId: anonymous.id, name: anonymous.name })
    if (!seen.offered) fault('notOffered', { fields: [{ field: 'templateId', says: say`Choose one of the templates` }] })
    if (seen.waiting >= mostWaiting) fault('tooMany')
    // Never given back, so that what succeeds is counted too.
    await countAttempt(
      house.database,
      'publicLink',
      { account: `portal ${tenantId}`, from: networkOf(request.address), address: request.address },
      now,
    )
    const placed = await askAnonymously(house, {
      tenantId,
      address: request.address,
      templateId,
      csr,
      values,
      contactEmail,
      comment,
    }).catch((error: unknown) => {
      if (error instanceof Fault && (error.code === 'notOffered' || error.code === 'lint')) return fault(error.code, error.detail)
      throw error
    })
    const receipt = makeTenantSecret('', tenantId)
    await transact(async ({ db, emit }) => {
      await insertReceipt(db, { tenant_id: tenantId, request_id: placed.requestId, secret_hash: receipt.hash, made_at: now })
      emit('requested', { requestId: placed.requestId }, placed.requestId)
    })
    return { ...placed, secret: receipt.text }
  },

  async check({ templateId, csr, values }, { now, enter, actAs, fault, house, request }) {
    const secret = readTenantSecret('', request.cookies[portalCookie] ?? '') ?? fault('noSession')
    const { tenantId } = secret
    const isOffered = await inTenant(house.database, tenantId, async (db) =>
      (await isOpenSession(db, tenantId, secret.hash, now))
        ? (await openTemplates(db, tenantId, now)).some(({ template }) => template.id === templateId)
        : undefined,
    )
    if (isOffered === undefined) return fault('noSession')
    await enter(tenantId)
    actAs({ userId: anonymous.id, name: anonymous.name })
    if (!isOffered) fault('notOffered', { fields: [{ field: 'templateId', says: say`Choose one of the templates` }] })
    // Never given back: it reads what a stranger sends. By the network alone: counted for all, strangers would spend what others may ask for.
    const from = networkOf(request.address)
    await countAttempt(house.database, 'publicLink', { account: `portal check ${tenantId} ${from}`, from, address: request.address }, now)
    return {
      faults: csr.trim() === '' ? [] : await faultsOfAnonymous(house, { tenantId, templateId, csr, values, contactEmail: '', comment: '' }),
    }
  },

  async collect({ requestId, secret }, { db, now, enter, actAs, fault }) {
    // With the id, so that the log says which request somebody tried to see.
    const refuse = () => fault('noSuchRequest', { params: { requestId } })
    actAs({ userId: anonymous.id, name: anonymous.name })
    const found = readTenantSecret('', secret) ?? refuse()
    await enter(found.tenantId)
    if (!(await isReceipt(db, found.tenantId, requestId, found.hash))) refuse()
    const view = (await anonymousViewOf(db, found.tenantId, requestId, now)) ?? refuse()
    return { ...view, ...(await brandOf(db, found.tenantId)), requestedAt: view.requestedAt.toISOString() }
  },

  async settings(_input, { db, viewer, now, house }) {
    const open = await findPortal(db, viewer.tenantId)
    return {
      ...(open === undefined ? {} : { address: addressOf(house, open.code), madeAt: open.made_at.toISOString(), madeBy: open.made_by }),
      templates: (await openTemplates(db, viewer.tenantId, now))
        .map(({ template }) => nameOf(template))
        .toSorted((a, b) => a.localeCompare(b)),
      waiting: await waitingAnonymous(db, viewer.tenantId),
    }
  },

  async renew(_input, { db, viewer, now, emit, house }) {
    const { text } = makeTenantSecret('', viewer.tenantId)
    await putPortal(db, { tenant_id: viewer.tenantId, code: text, made_at: now, made_by: actorOf(viewer) })
    emit('renewed', {})
    return { address: addressOf(house, text) }
  },

  async close(_input, { db, viewer, emit, fault }) {
    if (!(await deletePortal(db, viewer.tenantId))) fault('missing')
    emit('closed', {})
    return {}
  },
})

const addressOf = (house: Parameters<typeof linkTo>[0], code: string): string => linkTo(house, to(portal.screens.page, {}, { code }))
