// The fields of a device. The same ones add, clone and edit.

import { ActionIcon, Button, Group, SimpleGrid, Stack, Text } from '@mantine/core'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import { useOrganisationSearch } from '#areas/organisations/organisation-search.tsx'
import { usePersonSearch } from '#areas/users/person-search.tsx'
import { NumberField, SelectField, TextAreaField, TextField } from '#core/console/kit/fields.tsx'
import type { FormKit } from '#core/console/kit/Form.tsx'
import { FormSection } from '#core/console/kit/LongForm.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { devices } from '../contract.ts'
import {
  deviceStatuses,
  identifierKinds,
  mostEndpoints,
  mostIdentifiers,
  protocols,
  type DeviceStatus,
  type IdentifierKind,
} from '../rules.ts'
import { typeWord } from './type-word.ts'
import { kindWord, statusWord } from './words.ts'

export type DeviceValues = {
  name: string
  hostname: string
  type: string
  status: DeviceStatus
  ownerId: string
  organisationId: string
  note: string
  identifiers: { kind: IdentifierKind; value: string }[]
  endpoints: {
    id?: string
    name: string
    mac: string
    address: string
    port: number
    protocol: (typeof protocols)[number]
    serverName: string
  }[]
}

type Choice = { value: string; label: string }
const withOwn = (options: readonly Choice[], own: Choice | undefined): Choice[] =>
  own === undefined || own.value === '' || options.some(({ value }) => value === own.value) ? [...options] : [own, ...options]

export function DeviceFields({ form, owner, organisation }: { form: FormKit<DeviceValues>; owner?: string; organisation?: string }) {
  const types = useCall(devices.calls.types, {})
  const people = usePersonSearch()
  const organisations = useOrganisationSearch()
  const { values } = form
  const ownerField = form.field('ownerId')
  const organisationField = form.field('organisationId')
  return (
    <>
      <FormSection title={t('Device')}>
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <TextField {...form.field('name')} label={t('Name')} autoFocus required />
          <TextField {...form.field('hostname')} label={t('Host name')} hint={t('By which certificates of the device are found')} />
          <SelectField
            {...form.field('type')}
            label={t('Device type')}
            options={(types.data?.deviceTypes ?? []).map(({ name }) => ({ value: name, label: typeWord(name) }))}
          />
          <SelectField
            {...form.field('status')}
            label={t('Status')}
            options={deviceStatuses.map((value) => ({ value, label: statusWord(value) }))}
          />
        </SimpleGrid>
      </FormSection>
      <FormSection title={t('Identifiers')}>
        <Text size="sm" c="dimmed">
          {t('What the device is known by. Where another device is known by the same, a conflict waits for a decision.')}
        </Text>
        {values.identifiers.map((_, at) => (
          <Group key={at} align="flex-start" wrap="nowrap">
            <SelectField
              {...form.field(`identifiers.${at}.kind`)}
              label={t('Kind')}
              options={identifierKinds.map((value) => ({ value, label: kindWord(value) }))}
            />
            <TextField {...form.field(`identifiers.${at}.value`)} label={t('Value')} required />
            <Remove
              label={t('Remove identifier {number}', { number: at + 1 })}
              onClick={() =>
                form.set(
                  'identifiers',
                  values.identifiers.filter((_one, other) => other !== at),
                )
              }
            />
          </Group>
        ))}
        {values.identifiers.length < mostIdentifiers && (
          <Add
            label={t('Add identifier')}
            onClick={() => form.set('identifiers', [...values.identifiers, { kind: 'serial', value: '' }])}
          />
        )}
      </FormSection>
      <FormSection title={t('Endpoints')}>
        <Text size="sm" c="dimmed">
          {t('Where the device serves something by TLS, so that what is seen there is compared with what it should serve.')}
        </Text>
        {values.endpoints.map((_, at) => (
          <Stack key={at} gap="xs">
            <SimpleGrid cols={{ base: 1, xs: 3 }}>
              <TextField {...form.field(`endpoints.${at}.name`)} label={t('Name of the endpoint')} />
              <TextField {...form.field(`endpoints.${at}.address`)} label={t('IP address')} />
              <NumberField {...form.field(`endpoints.${at}.port`)} label={t('Port')} min={1} max={65_535} />
              <SelectField
                {...form.field(`endpoints.${at}.protocol`)}
                label={t('Protocol')}
                options={protocols.map((value) => ({ value, label: value.toUpperCase() }))}
              />
              <TextField {...form.field(`endpoints.${at}.serverName`)} label={t('Name in the handshake')} />
              <TextField {...form.field(`endpoints.${at}.mac`)} label={t('MAC address')} />
            </SimpleGrid>
            <Group justify="flex-end">
              <Button
                variant="subtle"
                color="red"
                size="xs"
                onClick={() =>
                  form.set(
                    'endpoints',
                    values.endpoints.filter((_one, other) => other !== at),
                  )
                }
              >
                {t('Remove endpoint {number}', { number: at + 1 })}
              </Button>
            </Group>
          </Stack>
        ))}
        {values.endpoints.length < mostEndpoints && (
          <Add
            label={t('Add endpoint')}
            onClick={() =>
              form.set('endpoints', [
                ...values.endpoints,
                { name: '', mac: '', address: '', port: 443, protocol: 'tls', serverName: values.hostname },
              ])
            }
          />
        )}
      </FormSection>
      <FormSection title={t('Ownership')}>
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <SelectField
            {...ownerField}
            value={ownerField.value === '' ? undefined : ownerField.value}
            onChange={(id) => ownerField.onChange(id ?? '')}
            label={t('Owner')}
            options={withOwn(people.options, { value: values.ownerId, label: owner ?? '' })}
            onSearch={people.onSearch}
            clearable
          />
          <SelectField
            {...organisationField}
            value={organisationField.value === '' ? undefined : organisationField.value}
            onChange={(id) => organisationField.onChange(id ?? '')}
            label={t('Organisation')}
            options={withOwn(organisations.options, { value: values.organisationId, label: organisation ?? '' })}
            onSearch={organisations.onSearch}
            clearable
          />
        </SimpleGrid>
        <TextAreaField {...form.field('note')} label={t('Note')} rows={3} />
      </FormSection>
    </>
  )
}

const Add = ({ label, onClick }: { label: string; onClick: () => void }) => (
  <Group>
    <Button variant="default" leftSection={<IconPlus size={16} stroke={1.8} aria-hidden />} onClick={onClick}>
      {label}
    </Button>
  </Group>
)

const Remove = ({ label, onClick }: { label: string; onClick: () => void }) => (
  <ActionIcon variant="subtle" color="red" mt={28} size="lg" aria-label={label} onClick={onClick}>
    <IconTrash size={16} stroke={1.8} aria-hidden />
  </ActionIcon>
)
