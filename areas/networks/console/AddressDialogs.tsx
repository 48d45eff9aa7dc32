// Writes a subnet, or who has an address of it.

import { Modal, SimpleGrid } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { devices } from '#areas/devices/contract.ts'
import { useMay } from '#core/console/bootstrap.ts'
import { SelectField, TextAreaField, TextField } from '#core/console/kit/fields.tsx'
import { Form, type FormKit } from '#core/console/kit/Form.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { networks } from '../contract.ts'
import { subnetKinds } from '../rules.ts'
import type { Subnet } from './subnet.ts'
import { subnetKindWord } from './words.ts'

type SubnetValues = { kind: Subnet['kind']; name: string; vlanId: string; locationId: string; note: string }

export function SubnetDialog({ subnet, onClose }: { subnet?: Subnet; onClose: () => void }) {
  const rest: SubnetValues = {
    kind: subnet?.kind ?? 'network',
    name: subnet?.name ?? '',
    vlanId: subnet?.vlanId ?? '',
    locationId: subnet?.locationId ?? '',
    note: subnet?.note ?? '',
  }
  const cancel = { label: t('Cancel'), onClick: onClose }
  return (
    <Modal opened onClose={onClose} size="lg" title={subnet === undefined ? t('New subnet') : t('Edit {name}', { name: subnet.cidr })}>
      {subnet === undefined ? (
        <Form
          call={networks.calls.addSubnet}
          initial={{ ...rest, cidr: '', space: '' }}
          toInput={(values: SubnetValues & { cidr: string; space: string }) => values}
          guard={false}
          submit={t('Add subnet')}
          cancel={cancel}
          onDone={onClose}
        >
          {(form) => (
            <>
              <SimpleGrid cols={{ base: 1, xs: 2 }}>
                <TextField {...form.field('cidr')} label={t('Subnet')} hint={t('IPv4 or IPv6, such as 10.0.0.0/8')} autoFocus required />
                <TextField {...form.field('space')} label={t('Space')} hint={t('Empty unless two networks use the same addresses')} />
              </SimpleGrid>
              <SubnetFields form={form} />
            </>
          )}
        </Form>
      ) : (
        <Form
          call={networks.calls.changeSubnet}
          initial={rest}
          toInput={(values: SubnetValues) => ({ id: subnet.id, version: subnet.version, ...values })}
          guard={false}
          submit={t('Save subnet')}
          cancel={cancel}
          onDone={onClose}
        >
          {(form) => <SubnetFields form={form} />}
        </Form>
      )}
    </Modal>
  )
}

function SubnetFields<V extends SubnetValues>({ form: given }: { form: FormKit<V> }) {
  // The fields are those that both forms have.
  const form: Pick<FormKit<SubnetValues>, 'field'> = given
  const places = useMay()('configureTeSA')
  const locations = useCall(networks.calls.locations, {}, { enabled: places })
  const vlans = useCall(networks.calls.searchNetworks, { size: 200 }, { enabled: places })
  const [vlan, location] = [form.field('vlanId'), form.field('locationId')]
  return (
    <>
      <TextField {...form.field('name')} label={t('Name')} />
      <SelectField
        {...form.field('kind')}
        label={t('Kind')}
        options={subnetKinds.map((value) => ({ value, label: subnetKindWord(value) }))}
      />
      {places && (
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <SelectField
            {...vlan}
            value={vlan.value === '' ? undefined : vlan.value}
            onChange={(id) => vlan.onChange(id ?? '')}
            label={t('Network')}
            options={(vlans.data?.rows ?? []).map(({ id, vid, name }) => ({ value: id, label: `${vid} ${name}` }))}
            clearable
          />
          <SelectField
            {...location}
            value={location.value === '' ? undefined : location.value}
            onChange={(id) => location.onChange(id ?? '')}
            label={t('Location')}
            options={(locations.data?.locations ?? []).map(({ id, path }) => ({ value: id, label: path }))}
            clearable
          />
        </SimpleGrid>
      )}
      <TextAreaField {...form.field('note')} label={t('Note')} rows={2} />
    </>
  )
}

export function AddressDialog({ subnet, address, onClose }: { subnet: Subnet; address: string; onClose: () => void }) {
  const known = useCall(networks.calls.searchAddresses, { subnetId: subnet.id, text: address, size: 200 }, { enabled: address !== '' })
  const [typed, onSearch] = useState('')
  const [text] = useDebouncedValue(typed.trim(), 200)
  const found = useCall(devices.calls.search, { text, size: 25 }, { keepPrevious: true, enabled: useMay()('deviceView') })
  const row = known.data?.rows.find((one) => one.address === address)
  if (address !== '' && known.data === undefined) return null
  const own = row === undefined || row.device === '' ? [] : [{ value: row.deviceId, label: row.device }]
  const options = (found.data?.rows ?? []).map(({ id, name }) => ({ value: id, label: name }))
  return (
    <Modal opened onClose={onClose} title={address === '' ? t('Write an address') : t('Who has {address}', { address })}>
      <Form
        call={networks.calls.saveAddress}
        initial={{
          subnetId: subnet.id,
          address,
          state: row === undefined || row.state === 'seen' || row.state === 'reserved' ? ('used' as const) : row.state,
          name: row?.name ?? '',
          mac: row?.mac ?? '',
          deviceId: row?.deviceId ?? '',
          note: row?.note ?? '',
        }}
        guard={false}
        submit={t('Save address')}
        cancel={{ label: t('Cancel'), onClick: onClose }}
        onDone={onClose}
      >
        {(form) => {
          const device = form.field('deviceId')
          return (
            <>
              {address === '' && <TextField {...form.field('address')} label={t('Address')} autoFocus required />}
              <SelectField
                {...form.field('state')}
                label={t('State')}
                options={[
                  { value: 'used', label: t('Used') },
                  { value: 'reserved', label: t('Reserved') },
                  { value: 'gateway', label: t('Gateway') },
                  { value: 'dhcp', label: t('DHCP') },
                ]}
              />
              <TextField {...form.field('name')} label={t('Name')} />
              <SelectField
                {...device}
                value={device.value === '' ? undefined : device.value}
                onChange={(id) => device.onChange(id ?? '')}
                label={t('Device')}
                options={[...own, ...options.filter(({ value }) => value !== own[0]?.value)]}
                onSearch={onSearch}
                clearable
              />
              <TextField {...form.field('mac')} label={t('MAC address')} />
              <TextAreaField {...form.field('note')} label={t('Note')} rows={2} />
            </>
          )
        }}
      </Form>
    </Modal>
  )
}
