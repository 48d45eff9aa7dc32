// The demonstration's orders from an external ACME authority: obtained and to be renewed, waiting for a person, and refused. The authority is of this file:
// its directory has a reserved name (RFC 2606), so that no demonstration asks a true one.

import { generateKeyPairSync, randomBytes, randomUUID, type KeyObject } from 'node:crypto'
import { sealForTenant } from '#areas/keys/sealing.ts'
import { ordering } from '#areas/ordering/contract.ts'
import type { Proof } from '#areas/ordering/rules.ts'
import { insertAttempt, insertOrder } from '#areas/ordering/server/order-store.ts'
import { authorityPurpose, responderPurpose } from '#areas/ordering/server/sealing.ts'
import { storeObtained } from '#areas/ordering/server/steps.ts'
import { insertAuthority, insertResponder, type OrderRecord, type OrderState } from '#areas/ordering/server/store.ts'
import type { House } from '#core/server/house.ts'
import { encodePem } from '#standards/pem/pem.ts'
import { signWith } from '#standards/x509/algorithms.ts'
import { assembleSigned, buildTbsCertificate, parseCertificate, type Certificate } from '#standards/x509/certificate.ts'
import { attribute } from '#standards/x509/names.ts'
import type { FoundTenancy } from './found.ts'
import { houseAt } from './then.ts'

const day = 86_400_000
const algorithm = 'ecdsa-with-SHA256'
const directoryUrl = 'https://acme.authority.example/directory'
const name = 'Example public authority'

function certify(signer: KeyObject, hosts: readonly string[], from: Date): Certificate {
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const tbs = buildTbsCertificate({
    serialNumber: Uint8Array.of(0x40, ...randomBytes(15)),
    signatureAlgorithm: algorithm,
    issuer: [[attribute('O', name)], [attribute('CN', `${name} E1`)]],
    subject: [[attribute('CN', hosts[0] ?? '')]],
    notBefore: from,
    notAfter: new Date(from.getTime() + 90 * day - 1_000),
    publicKey: publicKey.export({ format: 'der', type: 'spki' }),
    extensions: [{ type: 'subjectAltName', critical: false, names: hosts.map((value) => ({ type: 'dNSName', value })) }],
  })
  return parseCertificate(assembleSigned(tbs, algorithm, signWith(algorithm, signer, tbs)))
}

type Plan = { host: string; daysAgo: number; proof: Proof } & Partial<Pick<OrderRecord, 'step' | 'problem'>>

const plans: readonly Plan[] = [
  { host: 'www', daysAgo: 12, proof: 'forward' },
  { host: 'shop', daysAgo: 47, proof: 'responder' },
  { host: 'status', daysAgo: 3, proof: 'responder' },
  { host: 'intranet', daysAgo: 1, proof: 'record', step: 'validation' },
  {
    host: 'old',
    daysAgo: 2,
    proof: 'forward',
    step: 'validation',
    problem: { type: 'unauthorized', detail: 'Invalid response from http://old/.well-known/acme-challenge/: 404' },
  },
]

const plain = {
  failures: 0,
  nonces: {},
  new_key_sealed: null,
  new_csr: null,
  claim: null,
  claimed_until: null,
  csr: null,
  profile: '',
} as const

/** What the authority would have answered: the order waits for a record that a person puts into the DNS. */
const waitingFor = (host: string): OrderState => ({
  orderUrl: `${directoryUrl}/order/1`,
  authorizations: [
    {
      url: `${directoryUrl}/authorization/1`,
      name: host,
      wildcard: false,
      status: 'pending',
      challenge: {
        url: `${directoryUrl}/challenge/1`,
        token: randomBytes(32).toString('base64url'),
        keyAuthorization: `${randomBytes(32).toString('base64url')}.${randomBytes(32).toString('base64url')}`,
      },
      presented: true,
    },
  ],
})

export async function writeOrders(house: House, tenancies: readonly FoundTenancy[]): Promise<void> {
  const signer = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
  const now = house.now()
  for (const { id: tenantId, plan, members } of tenancies) {
    const owner = members.find(({ role }) => role === 'administrator')
    if (owner === undefined) continue
    const actor = { userId: owner.id, name: owner.username }
    const at = (daysAgo: number): House => houseAt(house, new Date(now.getTime() - daysAgo * day))
    const [authorityId, responderId] = [randomUUID(), randomUUID()]
    await at(60).work(tenantId, actor, async ({ tenancy, emitFor }) => {
      const times = { version: 1, created_at: tenancy.now, updated_at: tenancy.now }
      const seal = (purpose: string, secret: Buffer) =>
        sealForTenant(tenancy.db, house, { tenantId, purpose, plain: secret, now: tenancy.now })
      const key = await seal(authorityPurpose(authorityId), signer.export({ format: 'der', type: 'pkcs8' }))
      const secret = await seal(responderPurpose(responderId), randomBytes(32))
      await insertAuthority(tenancy, {
        ...times,
        tenant_id: tenantId,
        id: authorityId,
        name,
        directory_url: directoryUrl,
        contact: [`hostmaster@${plan.domain}`],
        eab_kid: '',
        eab_sealed: null,
        eab_tenant_key_id: null,
        preferred_chain: '',
        roots: '',
        account_key_sealed: key.sealed,
        tenant_key_id: key.tenantKeyId,
        account_url: `${directoryUrl}/account/1`,
      })
      await insertResponder(tenancy, {
        ...times,
        tenant_id: tenantId,
        id: responderId,
        name: 'Name server',
        settings: {
          kind: 'rfc2136',
          server: `ns1.${plan.domain}`,
          zone: plan.domain,
          keyName: 'acme-key',
          algorithm: 'hmac-sha256',
          ttl: 60,
          waitSeconds: 5,
        },
        secret_sealed: secret.sealed,
        tenant_key_id: secret.tenantKeyId,
      })
      const emit = emitFor(ordering)
      emit('authorityAdded', { authorityId, name, directoryUrl }, authorityId)
      emit('responderAdded', { responderId, name: 'Name server' }, responderId)
    })
    for (const { host: label, daysAgo, proof, step = 'done', problem = null } of plans) {
      const host = `${label}.${plan.domain}`
      await at(daysAgo).work(tenantId, actor, async ({ tenancy, emitFor }) => {
        const leaf =
          step === 'done' ? certify(signer, [host], new Date(tenancy.now.getTime() - (tenancy.now.getTime() % 1_000))) : undefined
        const order: OrderRecord = {
          ...plain,
          tenant_id: tenantId,
          id: randomUUID(),
          authority_id: authorityId,
          names: [host],
          proof,
          responder_id: proof === 'responder' ? responderId : null,
          key_kind: 'P-256',
          renews: true,
          owner_id: owner.id,
          owner_name: owner.username,
          created_at: tenancy.now,
          step,
          runs: false,
          next_at: tenancy.now,
          problem: problem === null ? null : { ...problem, detail: problem.detail.replace('//old/', `//${host}/`) },
          state: proof === 'record' ? waitingFor(host) : {},
          tenant_key_id: null,
          certificate_id: null,
          not_before: leaf?.notBefore ?? null,
          not_after: leaf?.notAfter ?? null,
          chain: leaf === undefined ? '' : encodePem('CERTIFICATE', leaf.encoded),
          key_sealed: null,
          key_tenant_key_id: null,
          renew_at: leaf === undefined ? null : new Date(leaf.notBefore.getTime() + 60 * day),
          ari: null,
          ari_check_at: null,
        }
        const { id } = order
        const emit = emitFor(ordering)
        emit('started', { orderId: id, authorityId, names: [host] }, id)
        const certificateId =
          leaf === undefined
            ? null
            : await storeObtained(tenancy, order, { chain: { leaf, certificates: [leaf.encoded], text: order.chain } })
        await insertOrder(tenancy, { ...order, certificate_id: certificateId })
        if (order.problem !== null) {
          await insertAttempt(tenancy, { order_id: id, step, outcome: 'failed', detail: order.problem.detail })
          emit('failed', { orderId: id, step, detail: order.problem.detail }, id)
        }
        if (certificateId !== null) emit('obtained', { orderId: id, certificateId }, id)
      })
    }
  }
}
