import { screen, within } from '@testing-library/react'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { expectAccessible, showScreen, type Shown } from '#core/console/testing/render.tsx'
import { houseForScreens } from '#core/testing/screens.ts'
import { DecodePem } from './DecodePem.tsx'

const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: 'pipe' }).toString()
const folder = mkdtempSync(join(tmpdir(), 'chancery-decode-'))
const rootKey = join(folder, 'root.key')
const rootFile = join(folder, 'root.pem')
const certificate = openssl(
  'req',
  '-x509',
  '-newkey',
  'ec',
  '-pkeyopt',
  'ec_paramgen_curve:P-256',
  '-nodes',
  '-keyout',
  rootKey,
  '-subj',
  '/C=NL/CN=Acme Root',
)
writeFileSync(rootFile, certificate)
const below = openssl(
  'req',
  '-x509',
  '-CA',
  rootFile,
  '-CAkey',
  rootKey,
  '-newkey',
  'ec',
  '-pkeyopt',
  'ec_paramgen_curve:P-256',
  '-nodes',
  '-keyout',
  '/dev/null',
  '-subj',
  '/CN=Below',
  '-addext',
  'basicConstraints=critical,CA:FALSE',
)
rmSync(folder, { recursive: true })
const request = openssl(
  'req',
  '-new',
  '-newkey',
  'ec',
  '-pkeyopt',
  'ec_paramgen_curve:P-256',
  '-nodes',
  '-keyout',
  '/dev/null',
  '-subj',
  '/CN=www.example.org',
  '-addext',
  'subjectAltName=DNS:www.example.org',
)
const keyAndCertificate = openssl(
  'req',
  '-x509',
  '-newkey',
  'ec',
  '-pkeyopt',
  'ec_paramgen_curve:P-256',
  '-nodes',
  '-keyout',
  '-',
  '-subj',
  '/CN=Mine',
)
const [privateKey = ''] = /-----BEGIN PRIVATE KEY-----[^-]+-----END PRIVATE KEY-----\n/.exec(keyAndCertificate) ?? []
const pkcs12 = execFileSync('openssl', ['pkcs12', '-export', '-name', 'Mine', '-passout', 'pass:secret'], {
  input: keyAndCertificate,
}).toString('base64')

const { house, as } = await houseForScreens()
const ada = await (await house.tenancy('Acme')).person({ permissions: ['pEMView'] })
beforeEach(() => as(ada))

const open = (): Shown => showScreen(<DecodePem />, { at: '/admin/certificate/decodepem' })

async function decode(shown: Shown, text: string): Promise<void> {
  await shown.user.click(screen.getByRole('textbox', { name: /^Certificate text/ }))
  await shown.user.paste(text)
  await shown.user.click(screen.getByRole('button', { name: 'Decode' }))
}

describe('the decoder', () => {
  it('shows a certificate field by field, its structure and its PEM', async () => {
    const shown = open()
    await expectAccessible()
    await decode(shown, certificate)
    expect(await screen.findByText('Successfully decoded', { selector: '[role=status]' })).toBeDefined()
    const item = within(screen.getByRole('region', { name: 'Certificate: Acme Root' }))
    expect(item.getByText('tbsCertificate')).toBeDefined()
    expect(item.getAllByText('CN=Acme Root,C=NL').length).toBe(2)
    await expectAccessible()
    await shown.user.click(item.getByRole('tab', { name: 'ASN.1' }))
    expect((await item.findAllByText('SEQUENCE')).length).toBeGreaterThan(3)
    await shown.user.click(item.getByRole('tab', { name: 'PEM' }))
    expect(await item.findByDisplayValue(/BEGIN CERTIFICATE/)).toBeDefined()
    await expectAccessible()
  })

  it('compares two, and marks what differs', async () => {
    const shown = open()
    await shown.user.click(screen.getByRole('tab', { name: 'Compare' }))
    await expectAccessible()
    const put = async (label: string, text: string) => {
      await shown.user.click(screen.getByRole('textbox', { name: new RegExp(`^${label}`) }))
      await shown.user.paste(text)
    }
    await shown.user.click(screen.getByRole('button', { name: 'Compare' }))
    expect((await screen.findAllByText('Paste a certificate')).length).toBeGreaterThan(1)
    await put('First', certificate)
    await put('Second', keyAndCertificate.replace(privateKey, ''))
    await shown.user.click(screen.getByRole('button', { name: 'Compare' }))
    const table = within(await screen.findByRole('table', { name: 'Fields of both' }))
    expect(screen.getByText(/fields differ of/)).toBeDefined()
    expect(table.getAllByText('CN=Acme Root,C=NL').length).toBeGreaterThan(0)
    expect(table.getAllByText('CN=Mine').length).toBeGreaterThan(0)
    expect(table.queryByText(/version$/)).toBeNull()
    await shown.user.click(screen.getByRole('checkbox', { name: 'Show what is the same, too' }))
    expect(table.getAllByText('differs').length).toBeGreaterThan(3)
    await expectAccessible()
  })

  it('shows several items one below the other', async () => {
    const shown = open()
    await decode(shown, certificate + request)
    expect(await screen.findByRole('region', { name: '1. Certificate: Acme Root' })).toBeDefined()
    expect(screen.getByRole('region', { name: '2. Certification request: www.example.org' })).toBeDefined()
  })

  it('says what a request breaks of the rules', async () => {
    const shown = open()
    await shown.user.click(screen.getByRole('button', { name: 'CSR rules and password' }))
    await shown.user.click(await screen.findByRole('textbox', { name: 'Rules of a template' }))
    await shown.user.paste('{"keys":["RSA-2048"],"allowedDomains":["*.internal.example"]}')
    await decode(shown, request)
    const findings = within(await screen.findByRole('list', { name: 'Findings and broken rules' }))
    expect(findings.getByText(/is not among the allowed keys/)).toBeDefined()
    expect(findings.getByText(/is not in an allowed domain/)).toBeDefined()
    await expectAccessible()
  })

  it('says where junk is junk', async () => {
    const shown = open()
    await decode(shown, 'hello, world')
    const alert = within(await screen.findByRole('alert'))
    expect(alert.getByText('Failed to decode')).toBeDefined()
    expect(alert.getByText(/^Line 1: /)).toBeDefined()
    await expectAccessible()
  })

  it('asks for text where there is none', async () => {
    const { user } = open()
    await user.click(screen.getByRole('button', { name: 'Decode' }))
    expect(await screen.findByText('Paste a certificate, a request, a revocation list or a PKCS#7 file')).toBeDefined()
  })

  it('opens a PKCS#12 file with its password, and takes no private key', async () => {
    const shown = open()
    await shown.user.click(screen.getByRole('button', { name: 'CSR rules and password' }))
    await shown.user.click(await screen.findByLabelText('Password of a PKCS#12 file'))
    await shown.user.paste('secret')
    await decode(shown, pkcs12)
    expect(await screen.findByText('Mine: a private key, which is not shown')).toBeDefined()
    await expectAccessible()
    const text = screen.getByRole<HTMLTextAreaElement>('textbox', { name: /^Certificate text/ })
    await shown.user.clear(text)
    await shown.user.paste(privateKey)
    expect(screen.getByText(/^This is a private key/)).toBeDefined()
    expect(text.value).toBe('')
  })

  it('decodes at once what the palette hands over', async () => {
    const { router } = open()
    await router.navigate('/elsewhere')
    await router.navigate('/admin/certificate/decodepem', { state: { pem: certificate } })
    expect(await screen.findByRole('region', { name: 'Certificate: Acme Root' })).toBeDefined()
  })
})

describe('the verification', () => {
  const openVerify = (): Shown => showScreen(<DecodePem />, { at: '/admin/certificate/decodepem?tab=verify' })
  const paste = async ({ user }: Shown, field: RegExp, text: string): Promise<void> => {
    await user.click(screen.getByRole('textbox', { name: field }))
    await user.paste(text)
  }
  const verify = ({ user }: Shown): Promise<void> => user.click(screen.getByRole('button', { name: 'Verify certificate' }))

  it('has an address of its own, and shows the path of a valid certificate', async () => {
    const shown = openVerify()
    expect(screen.getByRole('tab', { name: 'Verify', selected: true })).toBeDefined()
    await expectAccessible()
    await paste(shown, /^Certificate/, certificate)
    await paste(shown, /^Trusted roots/, certificate)
    await verify(shown)
    expect(await screen.findByText('The certificate is valid.')).toBeDefined()
    const path = within(screen.getByRole('region', { name: 'Path' }))
    expect(path.getByText('CN=Acme Root,C=NL')).toBeDefined()
    expect(path.getByLabelText('Good')).toBeDefined()
    await expectAccessible()
  })

  it('does not call valid what nobody could say was not revoked, and says what to add', async () => {
    const shown = openVerify()
    await paste(shown, /^Certificate/, below)
    await paste(shown, /^Trusted roots/, certificate)
    await verify(shown)
    const verdict = within(await screen.findByRole('status'))
    expect(verdict.getByText('The path is valid; revocation was not checked.')).toBeDefined()
    expect(verdict.getByText(/add the revocation list \(CRL\) of CN=Acme Root,C=NL under/)).toBeDefined()
    expect(within(screen.getByRole('region', { name: 'Path' })).getAllByText('Revocation not checked')).toHaveLength(1)
    expect(screen.queryByText('The certificate is valid.')).toBeNull()
    await expectAccessible()
  })

  it('says at each certificate what is wrong, and forgets the verdict when the question changes', async () => {
    const shown = openVerify()
    await paste(shown, /^Certificate/, certificate)
    await paste(shown, /^Trusted roots/, certificate)
    await paste(shown, /^Name/, 'www.example.org')
    await verify(shown)
    expect(await screen.findByText('The certificate is not valid.')).toBeDefined()
    const path = within(screen.getByRole('region', { name: 'Likeliest path' }))
    expect(path.getByText('It is not for www.example.org. It names no host.', { exact: false })).toBeDefined()
    expect(path.getByText('RFC 9525 6')).toBeDefined()
    await expectAccessible()
    await paste(shown, /^Name/, '.nl')
    expect(screen.queryByText('The certificate is not valid.')).toBeNull()
  })

  it('puts what cannot be read to its field', async () => {
    const shown = openVerify()
    await paste(shown, /^Certificate/, 'hello, world')
    await paste(shown, /^Trusted roots/, certificate)
    await verify(shown)
    expect((await screen.findAllByText(/Line 1: "," belongs to neither PEM/)).length).toBeGreaterThan(0)
    await expectAccessible()
  })

  it('asks for a certificate and for roots', async () => {
    const shown = openVerify()
    await verify(shown)
    expect((await screen.findAllByText('Paste the certificate to verify')).length).toBeGreaterThan(0)
    expect(screen.getAllByText('Enter a value').length).toBeGreaterThan(0)
  })

  it('keeps what was pasted while the other tab is open', async () => {
    const shown = openVerify()
    await paste(shown, /^Name/, 'www.example.org')
    await shown.user.click(screen.getByRole('tab', { name: 'Decode' }))
    await shown.user.click(await screen.findByRole('tab', { name: 'Verify' }))
    expect(await screen.findByDisplayValue('www.example.org')).toBeDefined()
  })
})
