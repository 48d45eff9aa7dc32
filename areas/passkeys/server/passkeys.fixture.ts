// A person with a browser and a security key, for the tests of this room.

import type { Caller, TestHouse, TestPerson, TestTenancy } from '#core/testing/house.ts'
import { openAuthenticator, type Said } from '#standards/webauthn/authenticator.fixture.ts'
import { passkeys } from '../contract.ts'

export type Key = ReturnType<typeof openAuthenticator>

export const siteOf = (house: TestHouse) => {
  const { origin } = house.house.settings
  return { origin, rpId: new URL(origin).hostname }
}

export const newKey = (house: TestHouse, options?: Parameters<typeof openAuthenticator>[1]): Key =>
  openAuthenticator(siteOf(house), options)

/** Registers a key by an open page; what it says can be spoilt. */
export async function register(page: Caller, userId: string, key: Key, said: Said = {}, customName = 'My key') {
  const { credentialCreationOptionsJson } = await page.call(passkeys.calls.prepare, { userId })
  const json = JSON.stringify(key.create(JSON.parse(credentialCreationOptionsJson), said))
  return page.call(passkeys.calls.register, { credentialCreationResponseJson: json, customName })
}

export async function takeChallenge(house: TestHouse): Promise<string> {
  const response = await house.fetch(passkeys.endpoints.prepareAuthentication.path, { method: 'POST' })
  return Buffer.from(await response.arrayBuffer()).toString('base64url')
}

/** A signed-out browser with a key: `answer` signs a challenge and sends it. */
export async function signIn(house: TestHouse, key: Key, said: Said = {}, challenge?: string) {
  return house.signedOut.call(passkeys.calls.signIn, key.get({ challenge: challenge ?? (await takeChallenge(house)) }, said))
}

export async function personWithKey(house: TestHouse, tenancy: TestTenancy, options?: Parameters<typeof openAuthenticator>[1]) {
  const person: TestPerson = await tenancy.person({ permissions: [] })
  const page = await person.session()
  const key = newKey(house, options)
  const { registeredCredentials } = await register(page, person.id, key)
  const [passkey] = registeredCredentials
  if (passkey === undefined) throw new Error('The passkey is not in the list')
  return { person, page, key, passkeyId: passkey.id }
}
