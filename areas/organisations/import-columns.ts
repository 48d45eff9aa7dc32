// What an import of organisations reads, in the order in which the screen offers it.

export const importColumns = {
  name: { label: 'Name' },
  above: { label: 'Above' },
  type: { label: 'Type' },
  country: { label: 'Country' },
  businessNumber: { label: 'Business number' },
  address: { label: 'Address' },
  contact: { label: 'Contact' },
  note: { label: 'Note' },
  id: { label: 'Id' },
} as const
