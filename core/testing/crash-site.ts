// An installation made for the crash rounds, through the same doors as any other: set up from a file, a second person invited, activated
// and signed in, each with a token.

import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { authorities } from '#areas/authorities/contract.ts'
import { roles } from '#areas/roles/contract.ts'
import { sessions } from '#areas/sessions/contract.ts'
import { templates } from '#areas/templates/contract.ts'
import { users } from '#areas/users/contract.ts'
import { decodeBase32 } from '#standards/base32/base32.ts'
import { decodePem } from '#standards/pem/pem.ts'
import { totp } from '#standards/totp/totp.ts'
import { parseCertificate, type Certificate } from '#standards/x509/certificate.ts'
import { caller, type Caller } from './caller.ts'
import type { CrashServer } from './crash-server.ts'

export type Authority = { caId: string; certificate: Certificate; crlUrl: string; ocspUrl: string }

export type CrashSite = {
  server: CrashServer
  /** Asks and revokes. */
  requester: Caller
  /** The requester's API token. */
  token: string
  /** Approves and denies what the other asks for. */
  approver: Caller
  /** Both issued by the one authority; `approved` asks one approver. */
  templateIds: { direct: string; approved: string }
  authority: Authority
}

const password = () => randomBytes(18).toString('base64url')
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

/** Leaves the server running. */
export async function setUpSite(server: CrashServer): Promise<CrashSite> {
  const file = join(server.folder, 'bootstrap.json')
  const person = (username: string) => ({ username, givenName: 'Ada', familyName: username, emailAddress: `${username}@example.org` })
  const authority = { organisation: 'Crash', rootName: 'Crash root', issuingName: 'Crash issuing' }
  writeFileSync(
    file,
    JSON.stringify({ tenancyName: 'Crash', administrator: { ...person('requester'), password: password() }, authority }),
    { mode: 0o600 },
  )
  const printed: { apiToken: string; authorities: { caId: string; name: string }[] } = JSON.parse(
    await server.run('apps/server/bootstrap.ts', ['--file', file]),
  )
  await server.start()

  const requester = caller(server.origin, bearer(printed.apiToken))
  const officer = (await requester.call(roles.calls.search, {})).rows.find(({ name }) => name === 'Certificate officer')
  if (officer === undefined) throw new Error('There is no role of certificate officers')
  const { activationLink } = await requester.call(users.calls.add, { ...person('approver'), roleIds: [officer.id] })
  const approver = caller(server.origin, bearer(await activate(server.origin, activationLink)))

  const caId = printed.authorities.find(({ name }) => name === authority.issuingName)?.caId ?? ''
  const { certificate, addresses } = await requester.call(authorities.calls.view, { caId })
  const { templates: offered } = await requester.call(templates.calls.offered, { entity: 'device' })
  const templateId = (approvers: number) => {
    const found = offered.find(({ issueApprovers, caId: of }) => issueApprovers === approvers && of === caId)
    if (found === undefined) throw new Error(`There is no template for devices with ${approvers} approvers`)
    return found.templateId
  }
  const [block] = decodePem(certificate?.pem ?? '')
  if (block === undefined) throw new Error('The authority has no certificate')
  return {
    server,
    requester,
    token: printed.apiToken,
    approver,
    templateIds: { direct: templateId(0), approved: templateId(1) },
    authority: { caId, certificate: parseCertificate(block.bytes), crlUrl: addresses.crl, ocspUrl: addresses.ocsp },
  }
}

/** From the link of the mail to an API token: password, first code, token. */
async function activate(origin: string, activationLink: string): Promise<string> {
  const cookies = new Map<string, string>()
  const headers = () => ({ cookie: [...cookies].map((pair) => pair.join('=')).join('; '), 'x-xsrf-token': cookies.get('XSRF-TOKEN') ?? '' })
  const post = async ({ path }: { path: string }, body: object): Promise<Response> => {
    const response = await fetch(origin + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers() },
      body: JSON.stringify(body),
    })
    if (!response.ok) throw new Error(`${path} was refused: ${await response.text()}`)
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      cookies.set(name, value)
    }
    return response
  }
  const [token, chosen] = [new URL(activationLink).pathname.split('/').at(-1), password()]
  const offered = sessions.calls.activate.output.parse(await (await post(sessions.calls.activate, { token, password: chosen })).json())
  await post(sessions.calls.TOTPAuth, { passcode: totp(decodeBase32(offered.secret ?? ''), new Date()) })
  return sessions.calls.addToken.output.parse(
    await (await post(sessions.calls.addToken, { name: 'crash', days: 30, password: chosen })).json(),
  ).token
}
