import * as z from 'zod'
import { clientFaults } from '#areas/smartcards/card-faults.ts'
import { contract } from '#core/contract/contract.ts'
import { Instant, Line, OptionalLine } from '#core/contract/shapes.ts'
import { loadStates, longestFile, mostCards } from './rules.ts'

const needs = 'smartcardManage'

const hexOf = (least: number, most: number, says: string) =>
  z
    .string()
    .trim()
    .toUpperCase()
    .regex(new RegExp(`^(?:[0-9A-F]{2}){${least},${most}}$`), says)

const AppletId = hexOf(5, 16, 'Enter an application identifier: 5 to 16 bytes in hexadecimal').meta({
  examples: ['A000000308000010000100'],
})
const CheckValue = hexOf(3, 3, 'Enter the key check value: 6 hexadecimal digits').meta({ examples: ['504A77'] })
const File = z.base64().max(longestFile, 'The file is too large').optional()
const Hardware = Line(80)

const Applet = z.object({
  applet_id: z.string(),
  name: z.string(),
  version: z.string(),
  enabled: z.boolean(),
  /** The package that its file holds; empty without a file. */
  package_id: z.string(),
  sha256: z.string(),
  changedAt: Instant,
})

const Config = z.object({
  customer_sc_hardware: z.string(),
  keyVersion: z.number().int(),
  checkValue: z.string(),
  changedAt: Instant,
})

const KeyVersion = z.number().int('Enter a whole number').min(0, 'At least 0').max(127, 'At most 127')
const unknownApplet = { status: 404, says: 'There is no applet with this identifier', field: 'applet_id' } as const
const unknownConfig = { status: 404, says: 'There is no such configuration', field: 'customer_sc_hardware' } as const
const badFile = { status: 400, says: 'The file is no CAP file and no load file (IJC): {reason}', field: 'file' } as const

/** Names the file besides the applet, since a file can be replaced; both are empty without one. Rows from before have neither. */
const AppletFile = z.object({ appletId: z.string(), packageId: z.string().optional(), sha256: z.string().optional() })

export const applets = contract({
  area: 'applets',
  title: 'Applets',
  screens: {
    list: {
      path: '/config/smartcard/applets',
      needs,
      title: 'Applets of cards',
      menu: { group: 'settings', entry: 'smartcards', tab: 'Applets', place: 20 },
      also: 'GlobalPlatform, load an applet, Java Card',
    },
    hardware: {
      path: '/config/smartcard/hardware',
      needs,
      title: 'Keys of card managers',
      menu: { group: 'settings', entry: 'smartcards', tab: 'Card manager keys', place: 30 },
      also: 'cloud HSM, SCP03, master key, customer_sc_hardware',
    },
  },
  calls: {
    list: {
      does: 'Lists the applets that can be put on cards.',
      method: 'GET',
      path: '/api2/CMS-v2/SmartcardApplets',
      needs,
      input: z.object({}),
      output: z.object({ applets: z.array(Applet) }),
    },
    add: {
      does: 'Adds an applet by its identifier, with the file to be loaded where there is one.',
      title: 'Add an applet of cards',
      method: 'POST',
      path: '/api2/CMS-v2/AddSmartcardApplet',
      needs,
      input: z.object({ applet_id: AppletId, name: Line(80), version: OptionalLine(40), file: File }),
      output: Applet,
      done: 'The applet was added',
      failed: 'The applet was not added',
      faults: { exists: { status: 409, says: 'There is an applet with this identifier already', field: 'applet_id' }, badFile },
    },
    get: {
      does: 'Answers one applet of cards by its identifier.',
      method: 'GET',
      path: '/api2/CMS-v2/SmartcardApplet',
      needs,
      input: z.object({ applet_id: AppletId }),
      output: Applet,
      faults: { unknownApplet },
    },
    change: {
      does: 'Changes name, version, use or file of an applet. Cards that have it keep what they have.',
      title: 'Change an applet of cards',
      method: 'PATCH',
      path: '/api2/CMS-v2/SmartcardApplet',
      needs,
      input: z.object({
        applet_id: AppletId,
        name: Line(80).optional(),
        version: z.union([z.literal(''), Line(40)]).optional(),
        enabled: z.boolean().optional(),
        file: File,
      }),
      output: Applet,
      done: 'The applet was changed',
      failed: 'The applet was not changed',
      faults: { unknownApplet, badFile },
    },
    remove: {
      does: 'Deletes an applet here. It stays on the cards that have it.',
      title: 'Delete an applet of cards',
      method: 'DELETE',
      path: '/api2/CMS-v2/SmartcardApplet',
      needs,
      input: z.object({ applet_id: AppletId }),
      output: z.object({}),
      done: 'The applet was deleted',
      failed: 'The applet was not deleted',
      faults: { unknownApplet },
    },
    upload: {
      does: 'Puts the applets in use on the card in a reader of the caller, by the keys of its card manager; of a batch one card after another.',
      title: 'Put applets on a card',
      method: 'POST',
      path: '/api2/CMS-v2/BatchAppletUpload',
      olderPath: '/api2/CMS-v1/BatchAppletUpload',
      needs,
      ownTransactions: true,
      input: z.object({
        reader: Line(200),
        /** So many cards are still to come, this one among them. */
        card_count: z.number().int('Enter a whole number').min(1, 'At least 1').max(mostCards, `At most ${mostCards}`),
        /** Not needed where there is one configuration. */
        customer_sc_hardware: Hardware.optional(),
        /** The check value of the master key, typed by whoever means this card and this key. */
        confirmation: CheckValue,
        /** Tries the key on a card that refused it before. */
        again: z.boolean().default(false),
      }),
      output: z.object({
        card: z.string(),
        applets: z.array(z.object({ applet_id: z.string(), state: z.enum(loadStates) })),
        left: z.number().int(),
      }),
      done: 'The applets are on the card',
      failed: 'The applets were not put on the card',
      faults: {
        ...clientFaults,
        unknownConfig,
        otherKey: { status: 409, says: 'This is not the check value of the master key. No card was tried', field: 'confirmation' },
        nothingToLoad: { status: 409, says: 'No applet in use has a file' },
        otherCardKeys: {
          status: 409,
          says: 'The card has other keys than those of this master key. It was tried once and is not tried again by itself: a card that is tried too often is lost',
        },
        triedBefore: { status: 409, says: 'The card {card} refused this key before. Try again only when you know why' },
        noManager: { status: 409, says: 'The card has no card manager that speaks SCP03: {reason}' },
      },
    },
    configs: {
      does: 'Lists the keys of card managers by the hardware that they are for; never the keys themselves.',
      method: 'POST',
      path: '/api2/CMS-v2/GetCloudHSMConfig',
      needs,
      reads: true,
      input: z.object({}),
      output: z.object({ configs: z.array(Config) }),
    },
    addConfig: {
      does: 'Keeps the master key of card managers for a kind of hardware, where its check value is the one that was told.',
      title: 'Add a key of card managers',
      method: 'POST',
      path: '/api2/CMS-v2/AddCloudHSMConfig',
      needs,
      tokens: 'never',
      input: z.object({
        customer_sc_hardware: Hardware,
        masterKey: z
          .string()
          .trim()
          .regex(/^(?:[0-9a-fA-F]{32}|[0-9a-fA-F]{48}|[0-9a-fA-F]{64})$/, 'Enter an AES key: 32, 48 or 64 hexadecimal digits')
          .meta({ examples: ['404142434445464748494A4B4C4D4E4F'] }),
        checkValue: CheckValue,
        keyVersion: KeyVersion.default(0),
      }),
      output: Config,
      done: 'The key is kept',
      failed: 'The key was not kept',
      faults: {
        exists: { status: 409, says: 'There is a key for this hardware already', field: 'customer_sc_hardware' },
        wrongCheck: { status: 400, says: 'The key has another check value: a digit is wrong', field: 'checkValue' },
      },
    },
    changeConfig: {
      does: 'Changes which key version of the cards a master key is for.',
      title: 'Change a key of card managers',
      method: 'PATCH',
      path: '/api2/CMS-v2/CloudHSMConfig',
      needs,
      input: z.object({ customer_sc_hardware: Hardware, keyVersion: KeyVersion }),
      output: Config,
      done: 'The key was changed',
      failed: 'The key was not changed',
      faults: { unknownConfig },
    },
    removeConfig: {
      does: 'Deletes a master key of card managers here. Without it no applet gets on those cards any more.',
      title: 'Delete a key of card managers',
      method: 'POST',
      path: '/api2/CMS-v2/DeleteCloudHSMConfig',
      needs,
      tokens: 'never',
      input: z.object({ customer_sc_hardware: Hardware }),
      output: z.object({}),
      done: 'The key was deleted',
      failed: 'The key was not deleted',
      faults: { unknownConfig },
    },
  },
  events: {
    added: { says: 'Added an applet of cards', body: AppletFile },
    changed: { says: 'Changed an applet of cards', body: AppletFile },
    removed: { says: 'Deleted an applet of cards', body: z.object({ appletId: z.string() }) },
    configAdded: { says: 'Added a key of card managers', body: z.object({ hardware: z.string(), checkValue: z.string() }) },
    configChanged: { says: 'Changed a key of card managers', body: z.object({ hardware: z.string(), keyVersion: z.number().int() }) },
    configRemoved: { says: 'Deleted a key of card managers', body: z.object({ hardware: z.string(), checkValue: z.string() }) },
    tried: { says: 'Opened a card manager', body: z.object({ card: z.string(), hardware: z.string() }) },
    refused: { says: 'A card manager refused its key', body: z.object({ card: z.string(), hardware: z.string() }) },
    loadBegan: { says: 'Began to put an applet on a card', body: AppletFile.extend({ card: z.string() }) },
    loaded: { says: 'Put an applet on a card', body: AppletFile.extend({ card: z.string() }) },
  },
})
