// The map of the console's navigation: groups, and in each at most eight entries, in the order in which they stand. A screen says its place in its own
// contract: group and entry, and a tab where the entry has several screens. An entry without a visible screen is not shown, nor is an empty group.

import type { Permission } from './permission-labels.ts'

const map = {
  home: { label: 'Home', entries: { home: 'Home', work: 'My work', selfService: 'Self-service' } },
  certificates: {
    label: 'Certificates',
    entries: {
      inventory: 'Inventory',
      requests: 'Requests & approvals',
      request: 'Request',
      renewals: 'Renewals',
      revocations: 'Revocations',
      discovery: 'Discovery',
    },
  },
  cards: {
    label: 'Smartcards & passkeys',
    entries: {
      cards: 'Cards',
      desk: 'Card desk',
      requests: 'Requests',
      batches: 'Batches & printing',
      passes: 'Passes',
      suspensions: 'Suspensions & reports',
      passkeys: 'Passkeys & provider credentials',
      stock: 'Stock',
    },
  },
  people: {
    label: 'People',
    entries: {
      users: 'Users',
      organisations: 'Organisations',
      roles: 'Roles',
      sponsors: 'Sponsors & visitors',
      directories: 'Directories & sync',
      applications: 'Applications & API keys',
      groupPolicy: 'Group policy',
      timesheets: 'Timesheets',
    },
  },
  devices: {
    label: 'Devices & networks',
    entries: { devices: 'Devices', addresses: 'Addresses', networks: 'Networks', locations: 'Locations' },
  },
  pki: {
    label: 'PKI & keys',
    entries: {
      authorities: 'Authorities',
      templates: 'Templates',
      enrolment: 'Enrolment',
      keys: 'Keys',
      archive: 'Key archive',
      signing: 'Signing',
      encryption: 'Client-side encryption',
      decoder: 'Decoder',
    },
  },
  doors: {
    label: 'Doors',
    entries: {
      mappings: 'Mappings',
      exceptions: 'Exceptions',
      matching: 'Matching of people',
      systems: 'Systems & plans',
      directory: 'Facility directory',
    },
  },
  operate: {
    label: 'Operate',
    entries: {
      infrastructure: 'Infrastructure',
      alerts: 'Alerts & webhooks',
      audit: 'Audit',
      securityEvents: 'Security events',
      endpointSecurity: 'Endpoint security',
      apiUse: 'API use & limits',
      jobs: 'Jobs & bulk work',
      outbox: 'Outbox',
    },
  },
  reports: {
    label: 'Reports',
    entries: {
      analytics: 'Analytics',
      usage: 'Usage',
      certificates: 'Certificates',
      domains: 'Domains',
      identity: 'Identity',
      doors: 'Doors',
      discovery: 'Discovery',
      invoices: 'Invoices',
    },
  },
  support: { label: 'Support', entries: { tickets: 'Tickets', news: 'News & documentation' } },
  billing: {
    label: 'Billing',
    entries: { subscription: 'Subscription', invoices: 'Invoices', products: 'Products & prices', payment: 'Payment methods' },
  },
  /** One entry in the menu: its own are a navigation of the second level. */
  settings: {
    label: 'Settings',
    entries: {
      tenancy: 'Tenancy',
      domains: 'Domains',
      branding: 'Branding',
      signIn: 'Sign-in',
      smartcards: 'Smartcards',
      printing: 'Card printing',
      enrolment: 'Enrolment',
      logs: 'Logs',
      monitoring: 'Monitoring',
      tickets: 'Tickets',
      kubernetes: 'Kubernetes',
      licensing: 'Licensing',
      installation: 'Installation',
    },
  },
} as const

type Map = typeof map
export type MenuGroup = keyof Map

export const menuGroups: Readonly<Record<MenuGroup, { label: string; entries: Readonly<Record<string, string>> }>> = map

export const mostEntries = 8

/** What stands in the same place besides: the screen at other parameters, or one of its views. */
export type MoreTabs = readonly { tab: string; params?: Record<string, string>; query?: string }[]

type Standing = {
  /** What the screen is called beside the others of its entry; needed where there are others. */
  tab?: string
  /** Orders the tabs of an entry, the smallest first; 50 unless told. */
  place?: number
  /** Fills the parameters of the path. */
  params?: Record<string, string>
  more?: MoreTabs
  /** What puts it into somebody's menu, where its address needs less. */
  needs?: Permission
  /** Only for people of the management tenancy who work in it. */
  management?: true
}

export type MenuPlace = { [G in MenuGroup]: { group: G; entry: keyof Map[G]['entries'] } & Standing }[MenuGroup]

/** `certificates.inventory`: names an entry of the map. */
export const entryKey = ({ group, entry }: MenuPlace): string => `${group}.${entry}`
