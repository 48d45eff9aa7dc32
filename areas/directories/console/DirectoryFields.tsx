// The fields of a directory, for a new one and for one that is there.

import { Button, Group, SimpleGrid } from '@mantine/core'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import { useRoleOptions } from '#areas/roles/role-options.tsx'
import { labelOf } from '#areas/users/attributes.ts'
import { NumberField, PasswordField, RadioField, SelectField, SwitchField, TextAreaField, TextField } from '#core/console/kit/fields.tsx'
import type { FormKit } from '#core/console/kit/Form.tsx'
import { FormSection } from '#core/console/kit/LongForm.tsx'
import { t } from '#core/console/text.ts'
import { defaultFilter, defaultMapping, directoryKinds, entraHosts, mappable, type DirectoryKind, type Mappable } from '../mapping.ts'
import { kindLabels } from './labels.ts'

export type Values = {
  name: string
  kind: DirectoryKind
  host: string
  port: number
  security: 'ldaps' | 'startTls'
  roots: string
  bindDn: string
  password: string
  baseDn: string
  filter: string
  mapping: Record<Mappable, string>
  groupRoles: { group: string; roleId: string }[]
  approval: 'none' | 'person' | 'second'
  invite: boolean
  nightly: boolean
  writable: boolean
  peopleBase: string
  loginHost: string
}

/** Every attribute that can be filled, those that are not empty. */
export const wholeMapping = (mapping: Readonly<Record<string, string | undefined>>): Record<Mappable, string> => ({
  username: '',
  givenName: '',
  familyName: '',
  emailAddress: '',
  telephoneNumber: '',
  mobile: '',
  title: '',
  positionHeld: '',
  organisation: '',
  locality: '',
  displayName: '',
  uid: '',
  pager: '',
  csn: '',
  ...mapping,
})

export const emptyDirectory: Values = {
  name: '',
  kind: 'ldap',
  host: '',
  port: 636,
  security: 'ldaps',
  roots: '',
  bindDn: '',
  password: '',
  baseDn: '',
  filter: defaultFilter.ldap,
  mapping: wholeMapping(defaultMapping.ldap),
  groupRoles: [],
  approval: 'person',
  invite: false,
  nightly: true,
  writable: false,
  peopleBase: '',
  loginHost: '',
}

export function DirectoryFields({
  form,
  kept = false,
  held = [],
}: {
  form: FormKit<Values>
  kept?: boolean
  /** The roles that its groups give now: the search may not find them among its first. */
  held?: readonly { id: string; name: string }[]
}) {
  const offered = useRoleOptions(held)
  const { groupRoles } = form.values
  const isEntra = form.values.kind === 'entra'
  return (
    <>
      <FormSection title={t('Server')}>
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <TextField {...form.field('name')} label={t('Name')} required />
          <SelectField
            {...form.field('kind')}
            label={t('Kind')}
            options={directoryKinds.map((value) => ({ value, label: t(kindLabels[value].label) }))}
            onChange={(value) => {
              const kind: DirectoryKind = directoryKinds.find((one) => one === value) ?? 'ldap'
              const { host } = form.values
              form.setAll({
                kind,
                filter: defaultFilter[kind],
                mapping: wholeMapping(defaultMapping[kind]),
                ...(kind === 'entra'
                  ? { host: entraHosts.graph, port: 443, security: 'ldaps' as const, loginHost: entraHosts.login }
                  : { host: host === entraHosts.graph ? '' : host, port: 636, loginHost: '' }),
              })
            }}
          />
          <TextField
            {...form.field('host')}
            label={t('Host')}
            hint={isEntra ? t('Of Microsoft Graph') : t('Such as ldap.example.org')}
            required
          />
          <NumberField {...form.field('port')} label={t('Port')} min={1} max={65_535} />
        </SimpleGrid>
        {isEntra ? (
          <SimpleGrid cols={{ base: 1, xs: 2 }}>
            <TextField {...form.field('loginHost')} label={t('Host of the sign-in')} hint={t('Where the application signs in')} required />
            <TextField {...form.field('baseDn')} label={t('Tenant')} hint={t('The directory (tenant) ID that Entra ID shows')} required />
          </SimpleGrid>
        ) : (
          <RadioField
            {...form.field('security')}
            label={t('Encryption')}
            options={[
              { value: 'ldaps', label: t('LDAPS'), hint: t('Encrypted from the beginning, mostly on port 636') },
              { value: 'startTls', label: t('StartTLS'), hint: t('Encrypted before anything is said, mostly on port 389') },
            ]}
          />
        )}
        <TextAreaField
          {...form.field('roots')}
          label={t('Trusted certificates')}
          hint={t('PEM, of the authority that issued the certificate of the server. Empty for public ones.')}
        />
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <TextField
            {...form.field('bindDn')}
            label={isEntra ? t('Application') : t('Account that signs in')}
            hint={isEntra ? t('Its application (client) ID') : t('Its distinguished name')}
            required
          />
          <PasswordField
            {...form.field('password')}
            label={isEntra ? t('Client secret') : t('Password')}
            autoComplete="off"
            {...(kept ? { hint: t('Empty keeps the one that is there') } : { required: true })}
          />
        </SimpleGrid>
      </FormSection>
      {!isEntra && (
        <FormSection title={t('People')}>
          <TextField
            {...form.field('baseDn')}
            label={t('Base')}
            hint={t('The distinguished name below which people and groups stand')}
            required
          />
          <TextField {...form.field('filter')} label={t('Filter')} hint={t('Who is read')} required />
        </FormSection>
      )}
      <FormSection
        title={t('Attributes')}
        intro={t('What the directory calls them. An empty one is not taken over.')}
        folded={t('As this kind of directory calls them')}
      >
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          {mappable.map((name) => (
            <TextField key={name} {...form.field(`mapping.${name}`)} label={t(labelOf(name))} />
          ))}
        </SimpleGrid>
      </FormSection>
      <FormSection
        title={t('Roles')}
        intro={t('Who is in a group of the directory, also through other groups, has the role here.')}
        folded={t('None')}
      >
        {groupRoles.map((_one, at) => (
          <Group key={at} align="end">
            <TextField
              {...form.field(`groupRoles.${at}.group`)}
              label={t('Group')}
              hint={isEntra ? t('Its object ID') : t('Its distinguished name')}
              required
            />
            <SelectField
              {...form.field(`groupRoles.${at}.roleId`)}
              label={t('Role')}
              {...(offered ?? { options: held.map(({ id, name }) => ({ value: id, label: name })) })}
              onChange={(value) => form.set(`groupRoles.${at}.roleId`, value ?? '')}
            />
            <Button
              variant="light"
              color="red"
              leftSection={<IconTrash size={16} stroke={1.8} aria-hidden />}
              onClick={() =>
                form.set(
                  'groupRoles',
                  groupRoles.filter((_other, index) => index !== at),
                )
              }
            >
              {t('Remove group')}
            </Button>
          </Group>
        ))}
        <Group>
          <Button
            variant="default"
            leftSection={<IconPlus size={16} stroke={1.8} aria-hidden />}
            onClick={() => form.set('groupRoles', [...groupRoles, { group: '', roleId: '' }])}
          >
            {t('Add group')}
          </Button>
        </Group>
      </FormSection>
      <FormSection title={t('Sync')}>
        <RadioField
          {...form.field('approval')}
          label={t('Who runs a plan')}
          options={[
            { value: 'person', label: t('A person'), hint: t('Each plan waits until somebody has looked at it') },
            { value: 'second', label: t('A second person'), hint: t('Somebody else than who planned it') },
            { value: 'none', label: t('Nobody'), hint: t('The nightly plan runs by itself, unless it is held') },
          ]}
        />
        <SwitchField {...form.field('nightly')} label={t('Plan every night')} />
        <SwitchField {...form.field('invite')} label={t('Send an activation link to each new person')} />
      </FormSection>
      <FormSection title={t('Changes in the directory')} folded={t('Read only')}>
        <SwitchField
          {...form.field('writable')}
          label={t('Open for changes')}
          hint={t('Who may edit users makes, changes, moves and deletes accounts there, each one shown first.')}
        />
        <TextField
          {...form.field('peopleBase')}
          label={isEntra ? t('Domain of new accounts') : t('Where new accounts stand')}
          hint={isEntra ? t('One that Entra ID has, such as example.onmicrosoft.com') : t('A distinguished name. Empty for the base')}
        />
      </FormSection>
    </>
  )
}
