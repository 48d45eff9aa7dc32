import { activityOf } from '#areas/audit/service.ts'
import { keys } from '#areas/keys/contract.ts'
import { keysOnToken, tokenChoices } from '#areas/keys/places.ts'
import { keyAlgorithms } from '#areas/keys/rules.ts'
import { generateKeyPair, KeyUnavailable, signatureAlgorithmFor } from '#areas/keys/service.ts'
import { isUnavailable } from '#areas/keys/tokens.ts'
import { to } from '#core/contract/paths.ts'
import { offer } from '#core/contract/slots.ts'
import { on, serve } from '#core/server/serve.ts'
import { firstSteps } from '#core/server/slots.ts'
import { describeAlgorithm } from '#standards/x509/algorithms.ts'
import { parseTbsCertificate } from '#standards/x509/certificate.ts'
import { authorities } from '../contract.ts'
import { listUsableIssuers } from '../licensing.ts'
import { otherCertificates } from './certify.ts'
import { createAuthorityAs, makerOf, rootTbs } from './create.ts'
import { factsOf } from './describe.ts'
import { fileOf } from './download.ts'
import { publicEndpoints } from './endpoints.ts'
import { newSerial, tbsOf } from './issuing.ts'
import { livingHandlers, takeOverWhereDue } from './living.ts'
import { planAuthority } from './plan.ts'
import { isGivenUp, switchOnRefusal } from './policy.ts'
import { authoritiesMeant, listAuthorities, viewAuthority } from './read.ts'
import { finishInterrupted } from './recover.ts'
import { remarkOnCut, remarksOn, remarksOnAuthority } from './remarks.ts'
import {
  allAuthorities,
  authoritiesNamed,
  authorityNamed,
  authorityNames,
  changeAuthority,
  findAuthority,
  lockAuthority,
  revokedAuthorities,
} from './store.ts'

export default serve(
  authorities,
  {
    ...livingHandlers,

    list: (query, { db, viewer, now, house }) => listAuthorities(house, db, viewer.tenantId, query, now),

    async view({ caId }, { db, viewer, now, house, fault }) {
      const row = (await findAuthority(db, viewer.tenantId, caId)) ?? fault('missing')
      if (isGivenUp(row)) fault('missing')
      return viewAuthority(house, db, row, now)
    },

    async activity({ caId }, { db, viewer, fault }) {
      if ((await findAuthority(db, viewer.tenantId, caId)) === undefined) fault('missing')
      const rows = await activityOf(db, viewer.tenantId, caId, 100)
      return { rows: rows.map(({ id, at, actor, area, name, outcome }) => ({ id, at: at.toISOString(), actor, area, name, outcome })) }
    },

    async preview(draft, { db, viewer, now }) {
      const plan = await planAuthority(db, viewer.tenantId, draft, now)
      // The key does not exist yet: a passing one stands in its place, and the answer names the kind that was asked for.
      const { spki: publicKey } = await generateKeyPair('P-256')
      const own = signatureAlgorithmFor(draft.keyAlgorithm)
      const tbs =
        plan.issuer === undefined
          ? rootTbs({ ...plan, publicKey, signatureAlgorithm: own }, newSerial())
          : tbsOf(plan.issuer, { ...plan, subject: plan.subject, publicKey }, newSerial())
      const facts = factsOf(parseTbsCertificate(tbs))
      return {
        ...facts,
        key: keyAlgorithms[draft.keyAlgorithm].label,
        signatureAlgorithm: describeAlgorithm(plan.issuer?.signatureAlgorithm ?? own),
        shortened: plan.shortened,
        remarks: [...remarksOn(tbs), ...remarkOnCut(plan.shortened, plan.notAfter)],
        ...(plan.issuer === undefined ? {} : { addresses: plan.issuer.addresses }),
      }
    },

    async create(draft, { viewer, house, request, transact }) {
      const caId = await createAuthorityAs(house, makerOf({ viewer, house, request, transact }), draft)
      return { caId, remarks: await remarksOnAuthority(house, viewer.tenantId, caId, draft) }
    },

    async keyPlaces(_input, { db, viewer }) {
      const tokens = await tokenChoices(db, viewer.tenantId)
      return {
        tokens: tokens.map(({ tokenId, name, algorithms, state }) => ({ tokenId, name, algorithms, available: !isUnavailable(state) })),
      }
    },

    async freeKeys({ tokenId }, { viewer, house, transact, fault }) {
      const { tenantId } = viewer
      if (!(await transact(({ db }) => tokenChoices(db, tenantId))).some((token) => token.tokenId === tokenId)) fault('missing')
      try {
        const found = await keysOnToken(house, tenantId, tokenId)
        return {
          keys: found.flatMap(({ objectId, label, algorithm, keyId }) => (keyId === undefined ? [{ objectId, label, algorithm }] : [])),
        }
      } catch (error) {
        if (error instanceof KeyUnavailable) return fault('outOfReach')
        throw error
      }
    },

    async rename({ caId, friendlyName }, { db, viewer, emit, fault }) {
      const row = (await findAuthority(db, viewer.tenantId, caId)) ?? fault('missing')
      const named = await authorityNamed(db, viewer.tenantId, friendlyName)
      if (named !== undefined && named.id !== row.id) fault('nameTaken')
      await changeAuthority(db, viewer.tenantId, caId, { friendly_name: friendlyName })
      emit('renamed', { caId, friendlyName }, caId)
      return {}
    },

    async setIssuing({ caId, issuing }, { db, viewer, emit, fault }) {
      // Held before anything is looked at: a revocation that is under way has ended then, or waits, and has the last word.
      const row = (await lockAuthority(db, viewer.tenantId, caId)) ?? fault('missing')
      const refused = issuing ? switchOnRefusal(row, (await revokedAuthorities(db, viewer.tenantId)).has(caId)) : undefined
      if (refused !== undefined) fault(refused)
      await changeAuthority(db, viewer.tenantId, caId, { issuing })
      emit('issuingSet', { caId, issuing }, caId)
      return {}
    },

    async download({ caId, format }, { db, viewer, now, fault }) {
      const row = (await findAuthority(db, viewer.tenantId, caId)) ?? fault('missing')
      const others = format === 'all' ? await otherCertificates(db, row, now) : []
      return (
        fileOf(row.friendly_name, row.certificate === null ? [] : [row.certificate, ...row.issuer_chain, ...others], format) ??
        fault('missing')
      )
    },
  },
  {
    endpoints: publicEndpoints,
    jobs: { finish: { inTenancy: finishInterrupted }, takeOver: { inTenancy: takeOverWhereDue } },
    // What waited for a token is signed as soon as it is back.
    subscriptions: [on(keys.events.tokenAvailable, async (_delivery, house) => house.wake(authorities.jobs.finish))],
    atHome: { list: [{ size: 200 }] },
    offers: [
      offer(firstSteps, {
        step: 'authority',
        isDone: async (db, tenantId, now) =>
          (await listUsableIssuers(db, tenantId, now)).some(({ status, enabled }) => status === 'ActiveCert' && enabled),
        // One that waits for its certificate is finished on its own page.
        path: async (db, tenantId) => {
          const waiting = (await allAuthorities(db, tenantId)).find(({ certificate }) => certificate === null)
          return waiting && to(authorities.screens.manage, { id: waiting.id })
        },
      }),
    ],
    records: {
      authority: {
        names: async ({ db, tenantId }, ids) =>
          (await authorityNames(db, tenantId, ids)).map(({ id, friendly_name: name }) => ({ id, name, path: pathOf(id) })),
        seek: ({ db, tenantId }, { text, most }) => authoritiesNamed(db, tenantId, text, most),
        search: async ({ db, tenantId }, { text, most }) =>
          (await authoritiesMeant(db, tenantId, text))
            .slice(0, most)
            .map(({ id, friendly_name: label, subject_text: detail }) => ({ id, label, detail, path: pathOf(id) })),
      },
    },
  },
)

const pathOf = (id: string): string => to(authorities.screens.manage, { id })
