import { screen, within } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { expectAccessible, showScreen } from '#core/console/testing/render.tsx'
import { answering } from '#core/testing/little-server.ts'
import { Passkeys } from './Passkeys.tsx'
import { PasskeySignIn } from './PasskeySignIn.tsx'
import { Policy } from './Policy.tsx'

const base = '/api2/Authentication-v1'
const passkey = {
  id: '018f0000-0000-7000-8000-0000000000f1',
  customName: 'Blue key',
  credentialId: 'AAAA',
  createdAt: '2026-11-20T10:00:00Z',
  synced: false,
  model: 'Key One',
  proved: true,
  aaguid: '11111111-2222-3333-4444-555555555555',
  host: 'localhost',
  worksHere: true,
  blocked: false,
}
const listed = (...registeredCredentials: object[]) => ({
  registeredCredentials,
  displayName: 'Ada Lovelace',
  username: 'ada',
  userHandle: 'BBBB',
})
const refused = (status: number, code: string) => () => ({ status, body: { code, message: code } })
const open = () => showScreen(<Passkeys />, { at: '/credentials/fido/passkeys/me', path: '/credentials/fido/passkeys/:userID' })

describe('My passkeys', () => {
  it('tell what each is, in words, and what is wrong with it', async () => {
    await answering({
      [`POST ${base}/ListFido2RegisteredCredentials`]: listed(
        passkey,
        { ...passkey, id: '018f0000-0000-7000-8000-0000000000f2', customName: 'Old key', proved: false, blocked: true },
        { ...passkey, id: '018f0000-0000-7000-8000-0000000000f3', customName: 'Phone', synced: true, refusedFor: 'synced' },
      ),
    })
    open()
    const table = within(await screen.findByRole('table', { name: 'Passkeys' }))
    expect(table.getAllByRole('row')).toHaveLength(4)
    expect(table.getByText('Blocked: there may be a copy')).toBeDefined()
    expect(table.getByText('Refused by the policy')).toBeDefined()
    expect(table.getByText('Key One, by its own word')).toBeDefined()
    await expectAccessible()
  })

  it('say what a passkey is where there is none', async () => {
    await answering({ [`POST ${base}/ListFido2RegisteredCredentials`]: listed() })
    open()
    expect(await screen.findByText('You have no passkey yet')).toBeDefined()
    await expectAccessible()
  })

  it('say what failed in the specified words', async () => {
    await answering({ [`POST ${base}/ListFido2RegisteredCredentials`]: refused(500, 'unexpected') })
    open()
    expect(await screen.findByText('Failed to retrieve the list of passkeys')).toBeDefined()
  })

  it('stay where the last strong factor would go, with the reason', async () => {
    await answering({
      [`POST ${base}/ListFido2RegisteredCredentials`]: listed(passkey),
      [`POST ${base}/DeleteFido2RegisteredCredential`]: refused(409, 'last'),
    })
    const { user } = open()
    await user.click(await screen.findByRole('button', { name: 'Delete Blue key' }))
    await user.click(await screen.findByRole('button', { name: 'Delete passkey' }))
    expect(await screen.findByText('Failed to delete the specified passkey')).toBeDefined()
    expect(screen.getByText(/only the password would be left/)).toBeDefined()
  })

  it('are renamed, and a failure says so', async () => {
    const server = await answering({
      [`POST ${base}/ListFido2RegisteredCredentials`]: listed(passkey),
      [`POST ${base}/RenameFido2RegisteredCredential`]: refused(500, 'unexpected'),
    })
    const { user } = open()
    await user.click(await screen.findByRole('button', { name: 'Rename Blue key' }))
    await user.fill(await screen.findByRole('textbox', { name: /^Name/ }), 'Green key')
    await user.click(screen.getByRole('button', { name: 'Rename passkey' }))
    expect(await screen.findByText('Failed to rename the specified')).toBeDefined()
    expect(server.asked.at(-1)).toMatchObject({ body: { id: passkey.id, newCustomName: 'Green key' } })
  })
})

describe('The policy', () => {
  it('shows what metadata knows, and how many passkeys it refuses', async () => {
    await answering({
      [`GET ${base}/PasskeyPolicy`]: {
        deviceBound: true,
        models: [],
        version: 1,
        known: [{ aaguid: passkey.aaguid, name: 'Key One', icon: '', compromised: false, provable: true }],
        refused: 1,
        registered: 3,
      },
    })
    showScreen(<Policy />, { at: '/config/chancery/passkeys' })
    expect(await screen.findByText('1 of 3 registered passkeys is refused by this policy.')).toBeDefined()
    expect(screen.getByRole('table', { name: 'Models' })).toBeDefined()
    await expectAccessible()
  })
})

describe('The button of the sign-in page', () => {
  beforeEach(() => {
    vi.stubGlobal('isSecureContext', true)
    vi.stubGlobal('PublicKeyCredential', { isConditionalMediationAvailable: async () => false })
  })
  afterEach(() => vi.unstubAllGlobals())
  const prompt = (answer: () => Promise<never>) =>
    vi.stubGlobal('navigator', Object.assign(Object.create(navigator), { credentials: { get: answer } }))

  it('says nothing where the prompt was closed, and what went wrong otherwise', async () => {
    const signedIn = vi.fn<() => void>()
    const challenge = new Response(Uint8Array.of(1), { headers: { 'content-type': 'application/x-webauthn-challenge' } })
    vi.spyOn(globalThis, 'fetch').mockImplementation(async () => challenge.clone())
    prompt(() => Promise.reject(new DOMException('closed', 'NotAllowedError')))
    const { user } = showScreen(<PasskeySignIn onDone={signedIn} />, { at: '/login', viewer: false })
    await user.click(screen.getByRole('button', { name: 'Sign in with a passkey' }))
    expect(screen.queryByRole('alert')).toBe(null)
    prompt(() => Promise.reject(new Error('broken')))
    await user.click(screen.getByRole('button', { name: 'Sign in with a passkey' }))
    expect(await screen.findByRole('alert')).toBeDefined()
    expect(signedIn).not.toHaveBeenCalled()
    vi.restoreAllMocks()
  })

  it('does not stand where the browser knows no passkeys', () => {
    vi.stubGlobal('isSecureContext', false)
    showScreen(<PasskeySignIn onDone={() => {}} />, { at: '/login', viewer: false })
    expect(screen.queryByRole('button', { name: 'Sign in with a passkey' })).toBe(null)
  })
})
