import { Alert, Text } from '@mantine/core'
import { useNavigate } from 'react-router'
import { useMay } from '#core/console/bootstrap.ts'
import { RadioField, SelectField, SwitchField, TagsField, TextField } from '#core/console/kit/fields.tsx'
import { LinkButton } from '#core/console/kit/links.tsx'
import { FormSection, LongForm } from '#core/console/kit/LongForm.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { PemInput } from '#core/console/kit/PemInput.tsx'
import { EmptyState, Loaded } from '#core/console/kit/states.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { ordering } from '../contract.ts'
import { keyKinds, proofs, type OrderedKey, type Proof } from '../rules.ts'
import { keyLabels, proofTexts } from './order-words.ts'

type Values = {
  authorityId: string
  names: string[]
  proof: Proof
  responderId: string
  keyFrom: 'made' | 'csr'
  keyKind: OrderedKey
  csr: string
  profile: string
  renews: boolean
}

const draftOf = ({ keyFrom, keyKind, csr, responderId, proof, ...rest }: Values) => ({
  ...rest,
  proof,
  ...(proof === 'responder' && responderId !== '' ? { responderId } : {}),
  ...(keyFrom === 'made' ? { keyKind } : { csr }),
})

export function AddOrder() {
  const navigate = useNavigate()
  const choices = useCall(ordering.calls.choices, {})
  return (
    <Page title={t('New ACME order')}>
      <Loaded query={choices}>
        {({ authorities, responders }) =>
          authorities.length === 0 ? (
            <NoAuthority />
          ) : (
            <LongForm
              call={ordering.calls.start}
              initial={{
                authorityId: authorities[0]?.id ?? '',
                names: [],
                proof: responders.length > 0 ? 'responder' : 'forward',
                responderId: responders[0]?.id ?? '',
                keyFrom: 'made',
                keyKind: 'P-256',
                csr: '',
                profile: '',
                renews: true,
              }}
              toInput={(values: Values) => draftOf(values)}
              submit={t('Order certificate')}
              cancel={{ label: t('Cancel'), to: to(ordering.screens.upload) }}
              onDone={({ id }) => navigate(to(ordering.screens.order, { id }))}
            >
              {(form) => (
                <>
                  <FormSection title={t('What is ordered')}>
                    <SelectField
                      {...form.field('authorityId')}
                      label={t('Authority')}
                      options={authorities.map(({ id, name }) => ({ value: id, label: name }))}
                      required
                    />
                    <TagsField
                      {...form.field('names')}
                      error={
                        form.error('names') ??
                        form.values.names.map((_, at) => form.error(`names.${at}`)).find((wrong) => wrong !== undefined)
                      }
                      label={t('Names')}
                      hint={t('DNS names such as www.example.org, *.example.org with a DNS record, or IP addresses')}
                    />
                    <Alert color="blue" variant="light">
                      {t(
                        'Public authorities certify servers, no clients: for mutual TLS, request a certificate from an authority of your own.',
                      )}
                    </Alert>
                  </FormSection>
                  <FormSection title={t('How the names are proven')}>
                    <RadioField
                      {...form.field('proof')}
                      label={t('Proof')}
                      options={proofs
                        .filter((one) => one !== 'responder' || responders.length > 0)
                        .map((value) => ({ value, label: t(proofTexts[value].label), hint: t(proofTexts[value].hint) }))}
                    />
                    {form.values.proof === 'responder' && (
                      <SelectField
                        {...form.field('responderId')}
                        label={t('DNS responder')}
                        options={responders.map(({ id, name }) => ({ value: id, label: name }))}
                        required
                      />
                    )}
                    {responders.length === 0 && (
                      <Text size="sm" c="dimmed">
                        {t('Once a DNS responder is set up under ACME, records are put into the DNS from here.')}
                      </Text>
                    )}
                  </FormSection>
                  <FormSection title={t('Key')}>
                    <RadioField
                      {...form.field('keyFrom')}
                      label={t('Where the key is made')}
                      options={[
                        {
                          value: 'made',
                          label: t('Made here'),
                          hint: t('You collect it once, in a PKCS#12 file; each renewal has a new one'),
                        },
                        { value: 'csr', label: t('I have a CSR'), hint: t('The key never leaves its machine, and renewals keep it') },
                      ]}
                    />
                    {form.values.keyFrom === 'made' ? (
                      <SelectField
                        {...form.field('keyKind')}
                        label={t('Key type')}
                        options={keyKinds.map((value) => ({ value, label: keyLabels[value] }))}
                      />
                    ) : (
                      <PemInput {...form.field('csr')} label={t('CSR')} kind="CERTIFICATE REQUEST" required />
                    )}
                  </FormSection>
                  <FormSection
                    title={t('Renewal and profile')}
                    folded={form.values.renews ? t('Renewed by itself') : t('Not renewed by itself')}
                  >
                    <SwitchField
                      {...form.field('renews')}
                      label={t('Renew by itself')}
                      hint={t('When the authority asks for it, or around two thirds of the life')}
                    />
                    <TextField
                      {...form.field('profile')}
                      label={t('Profile')}
                      hint={t('Where the authority has several kinds of certificate. Empty: its usual one')}
                    />
                  </FormSection>
                </>
              )}
            </LongForm>
          )
        }
      </Loaded>
    </Page>
  )
}

function NoAuthority() {
  const may = useMay()
  return (
    <EmptyState
      title={t('No ACME authority yet')}
      text={t("Add Let's Encrypt or another authority first, under ACME, External authorities.")}
      action={
        may('acmeConfiguration') ? <LinkButton to={to(ordering.screens.addAuthority)}>{t('Add an authority')}</LinkButton> : undefined
      }
    />
  )
}
