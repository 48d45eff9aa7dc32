// A security key that Chromium has built in (WebAuthn in the DevTools protocol): it keeps passkeys, and says whether somebody is there and who it is.

import type { CDPSession, Page } from 'playwright-core'

export type SecurityKey = {
  count(): Promise<number>
  /** Whether it recognises the person: a finger, a PIN. */
  verifies(yes: boolean): Promise<void>
  /** Whether somebody touches it when it is asked. */
  touched(yes: boolean): Promise<void>
  passkeys(): Promise<Passkey[]>
  /** Takes passkeys of another key, as one that is synced. */
  take(passkeys: readonly Passkey[]): Promise<void>
}

type Passkey = Awaited<ReturnType<typeof readPasskeys>>[number]

export async function plugIn(page: Page): Promise<SecurityKey> {
  const session = await page.context().newCDPSession(page)
  await session.send('WebAuthn.enable')
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      ctap2Version: 'ctap2_1',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
      defaultBackupEligibility: true,
      defaultBackupState: true,
    },
  })
  const passkeys = () => readPasskeys(session, authenticatorId)
  return {
    passkeys,
    count: async () => (await passkeys()).length,
    verifies: async (isUserVerified) => void (await session.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified })),
    touched: async (enabled) => void (await session.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled })),
    async take(others) {
      for (const credential of others) await session.send('WebAuthn.addCredential', { authenticatorId, credential })
    },
  }
}

const readPasskeys = async (session: CDPSession, authenticatorId: string) =>
  (await session.send('WebAuthn.getCredentials', { authenticatorId })).credentials
