// The console's navigation, at most two levels. A screen names its group in its contract; an item shows only with its permission, an empty group vanishes.

export const menuGroups = {
  home: 'Home',
  certificates: 'Certificates',
  cards: 'Smartcards & passkeys',
  identities: 'Identities',
  pki: 'PKI & keys',
  physical: 'Physical access',
  operate: 'Operate',
  reports: 'Reports',
  support: 'Support',
  billing: 'Billing',
  settings: 'Settings',
} as const

export type MenuGroup = keyof typeof menuGroups
