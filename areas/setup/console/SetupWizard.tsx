import { Alert, Button, Group, Loader, SimpleGrid, Stack, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { useEffect, useRef, useState } from 'react'
import { useSearchParams } from 'react-router'
import { authorities } from '#areas/authorities/contract.ts'
import { keys } from '#areas/keys/contract.ts'
import { keyTypeOptions } from '#areas/keys/key-type-options.tsx'
import { keyAlgorithmNames, keyAlgorithms } from '#areas/keys/rules.ts'
import { ColourField } from '#areas/tenancy/ColourField.tsx'
import { NewPasswordField } from '#areas/users/NewPasswordField.tsx'
import { asCallFault, type CallFault } from '#core/console/call-fault.ts'
import { NumberField, RadioField, SelectField, SwitchField, TextField } from '#core/console/kit/fields.tsx'
import { freshKey } from '#core/console/kit/fresh-key.ts'
import { Facts, Section } from '#core/console/kit/Section.tsx'
import { FaultAlert } from '#core/console/kit/states.tsx'
import { Wizard } from '#core/console/kit/Wizard.tsx'
import { send } from '#core/console/send.ts'
import { t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { homePath } from '#core/contract/pages.ts'
import { to } from '#core/contract/paths.ts'
import { setup } from '../contract.ts'
import {
  administratorShape,
  authorityShapeOf,
  draftOf,
  firstOpen,
  forgetGathered,
  keepGathered,
  placeOf,
  takeGathered,
  tenancyShape,
  withNames,
  type Gathered,
} from './setup-draft.ts'
import { StepForm, type StepFields } from './StepForm.tsx'

type Made = OutputOf<typeof setup.calls.run>

/** Where it goes on: to the token, to the request that the offline root shall sign, or home. */
function nextPath({ wanted, root }: Gathered['authority'], { authorities: made }: Made): string {
  if (wanted && root === 'token') return to(keys.screens.tokens)
  const [issuing] = made
  return wanted && root === 'offline' && issuing !== undefined ? to(authorities.screens.manage, { id: issuing.caId }) : homePath
}

type SetupWizardProps = { token: string; pkiUrl: string; onDone: (made: Made, path: string) => void }

type Refused = [Record<string, string>, Record<string, string>, Record<string, string>]
const nothingRefused: Refused = [{}, {}, {}]

export function SetupWizard({ token, pkiUrl, onDone }: SetupWizardProps) {
  const [gathered, setGathered] = useState<Gathered>(takeGathered)
  const [search, setSearch] = useSearchParams()
  // The open step stands in the address, so that Back means the step before; none is open whose steps before it are not right.
  const reached = firstOpen(gathered)
  const at = Math.min(Math.max(Number(search.get('step') ?? 1) - 1 || 0, 0), reached)
  const setAt = (step: number): void => {
    setRun({ pending: false })
    setSearch((before) => {
      const after = new URLSearchParams(before)
      after.set('step', String(step + 1))
      return after
    })
  }
  useEffect(() => keepGathered(gathered), [gathered])
  const [refused, setRefused] = useState<Refused>(nothingRefused)
  const [run, setRun] = useState<{ pending: boolean; fault?: CallFault }>({ pending: false })
  const key = useRef(freshKey())
  const change = (part: Partial<Gathered>) => setGathered((before) => ({ ...before, ...part }))

  const finish = async (): Promise<void> => {
    if (run.pending) return
    setRefused(nothingRefused)
    setRun({ pending: true })
    try {
      // Not by `useSend`: it would read the link again, which is used up now.
      const made = await send(setup.calls.run, draftOf(token, gathered), { idempotencyKey: key.current, timeoutMilliseconds: 0 })
      forgetGathered()
      onDone(made, nextPath(gathered.authority, made))
    } catch (thrown) {
      const fault = asCallFault(thrown)
      const places = fault.fields.map(({ field, says }) => ({ ...placeOf(field), says }))
      const next: Refused = [{}, {}, {}]
      for (const { step, name, says } of places) next[step][name] = says
      key.current = freshKey()
      setRefused(next)
      // To the first step with something to mend; the words stand beside its field.
      const [first] = places.map(({ step }) => step).sort()
      if (first !== undefined) setAt(first)
      else setRun({ pending: false, fault })
    }
  }

  return (
    <Wizard
      at={at}
      reached={reached}
      onStep={setAt}
      onDone={() => {}}
      steps={[
        {
          key: 'tenancy',
          label: t('Organisation'),
          buttons: false,
          content: ({ next }) => (
            <StepForm
              shape={tenancyShape}
              values={gathered.tenancy}
              refused={refused[0]}
              onChange={(tenancy) => change({ tenancy })}
              onNext={() => {
                setGathered(withNames)
                next()
              }}
            >
              {({ values, field }) => (
                <>
                  <TextField
                    {...field('tenancyName')}
                    label={t('Name')}
                    hint={t('Your organisation, as its people call it. This is the management tenancy: it can make others.')}
                    autoComplete="organization"
                    autoFocus
                    required
                  />
                  <ColourField {...field('bannerColour')} shownAs={values.tenancyName} />
                  <TextField
                    {...field('supportEmail')}
                    label={t('Support address')}
                    type="email"
                    hint={t('Where people turn when they need help. It can be given later.')}
                  />
                </>
              )}
            </StepForm>
          ),
        },
        {
          key: 'administrator',
          label: t('Administrator'),
          buttons: false,
          content: ({ next, back }) => (
            <StepForm
              shape={administratorShape}
              values={gathered.administrator}
              refused={refused[1]}
              onChange={(administrator) => change({ administrator })}
              ask={async () => {
                const { password, username, givenName, familyName } = gathered.administrator
                const { says } = await send(setup.calls.judgePassword, { token, password, own: [username, givenName, familyName] })
                return says === '' ? {} : { password: t(says) }
              }}
              onNext={next}
              onBack={back}
            >
              {({ values, field }) => (
                <>
                  <SimpleGrid cols={{ base: 1, xs: 2 }}>
                    <TextField {...field('givenName')} label={t('Given name')} autoComplete="given-name" autoFocus required />
                    <TextField {...field('familyName')} label={t('Family name')} autoComplete="family-name" required />
                    <TextField {...field('emailAddress')} label={t('E-mail address')} type="email" autoComplete="email" required />
                    <TextField
                      {...field('username')}
                      label={t('Username')}
                      hint={t('Letters, digits and . _ - @')}
                      autoComplete="username"
                      required
                    />
                  </SimpleGrid>
                  <NewPasswordField
                    {...field('password')}
                    label={t('Password')}
                    own={[values.username, values.givenName, values.familyName]}
                  />
                </>
              )}
            </StepForm>
          ),
        },
        {
          key: 'authority',
          label: t('Authority'),
          buttons: false,
          content: ({ next, back }) => (
            <StepForm
              shape={authorityShapeOf(gathered.authority)}
              values={gathered.authority}
              refused={refused[2]}
              onChange={(authority) => change({ authority })}
              onNext={next}
              onBack={back}
            >
              {(step) => (
                <>
                  <SwitchField
                    {...step.field('wanted')}
                    label={t('Make a root and an issuing authority now')}
                    hint={t('With five templates to begin with. You can also make authorities later.')}
                  />
                  {step.values.wanted && <AuthorityFields step={step} pkiUrl={pkiUrl} />}
                </>
              )}
            </StepForm>
          ),
        },
        {
          key: 'review',
          label: t('Review'),
          buttons: false,
          content: ({ back }) => (
            <Stack gap="md">
              <FaultAlert fault={run.fault} />
              <Review gathered={gathered} pkiUrl={pkiUrl} />
              <Group gap="xs">
                <Button variant="default" onClick={back}>
                  {t('Back')}
                </Button>
                <Button
                  onClick={() => void finish()}
                  aria-busy={run.pending}
                  {...(run.pending ? { leftSection: <Loader size={14} color="currentColor" /> } : {})}
                >
                  {t('Set up Chancery')}
                </Button>
                <Text size="sm" c="dimmed" role="status">
                  {run.pending
                    ? gathered.authority.wanted
                      ? t('Making keys and signing. This takes a few seconds.')
                      : t('Setting up.')
                    : ''}
                </Text>
              </Group>
            </Stack>
          ),
        },
      ]}
    />
  )
}

function AuthorityFields({ step: { values, field }, pkiUrl }: { step: StepFields<Gathered['authority']>; pkiUrl: string }) {
  return (
    <>
      <RadioField
        {...field('root')}
        label={t('Where is the key of the root?')}
        options={[
          {
            value: 'here',
            label: t('Here, sealed in the database'),
            hint: t('The root is made now and signs the issuing authority at once.'),
          },
          {
            value: 'offline',
            label: t('Offline, on another machine'),
            hint: t('The issuing authority is made now. You take its request to your root and bring back the certificate.'),
          },
          {
            value: 'token',
            label: t('On a token (HSM)'),
            hint: t('After set-up you register the token and make the root on it. Nothing is made now.'),
          },
        ]}
      />
      {values.root !== 'token' && <NamesAndKeys step={{ values, field }} pkiUrl={pkiUrl} />}
    </>
  )
}

function NamesAndKeys({ step: { values, field }, pkiUrl }: { step: StepFields<Gathered['authority']>; pkiUrl: string }) {
  const own = values.root === 'here'
  const algorithms = keyTypeOptions(keyAlgorithmNames)
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        {own && <TextField {...field('rootName')} label={t('Name of the root')} required />}
        <TextField {...field('issuingName')} label={t('Name of the issuing authority')} required />
        <TextField {...field('organisation')} label={t('Organisation')} hint={t('Appears in their certificates')} required />
        <TextField
          {...field('country')}
          label={t('Country')}
          hint={t('Two letters, such as GB')}
          onChange={(text) => field('country').onChange((text ?? '').toUpperCase())}
        />
      </SimpleGrid>
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        {own && (
          <SelectField
            {...field('rootAlgorithm')}
            label={t('Key type of the root')}
            options={algorithms}
            hint={t(keyAlgorithms[values.rootAlgorithm].hint)}
            required
          />
        )}
        {own && <NumberField {...field('rootYears')} label={t('The root is valid for')} suffix={t('years')} min={1} max={50} />}
        <SelectField
          {...field('algorithm')}
          label={t('Key type of the issuing authority')}
          options={algorithms}
          hint={t(keyAlgorithms[values.algorithm].hint)}
          required
        />
        {own && (
          <NumberField
            {...field('issuingYears')}
            label={t('The issuing authority is valid for')}
            hint={t('Never longer than the root')}
            suffix={t('years')}
            min={1}
            max={50}
          />
        )}
      </SimpleGrid>
      <PkiAddress pkiUrl={pkiUrl} />
    </>
  )
}

function PkiAddress({ pkiUrl }: { pkiUrl: string }) {
  const local = /\/\/(localhost|127\.)/.test(pkiUrl)
  return (
    <Alert
      color={local ? 'yellow' : 'blue'}
      icon={<IconAlertTriangle size={18} aria-hidden />}
      title={t('Revocation lists and OCSP will be reached at {address}', { address: pkiUrl })}
    >
      <Stack gap={4}>
        <Text inherit>{t('This address is written into every certificate and cannot change in what is issued.')}</Text>
        {local && (
          <Text inherit>
            {t(
              'It reaches this machine only, which is good for trying out. For real use stop here, set CHANCERY_PKI_URL to an address that everybody reaches, and start Chancery again.',
            )}
          </Text>
        )}
      </Stack>
    </Alert>
  )
}

function Review({ gathered: { tenancy, administrator, authority }, pkiUrl }: { gathered: Gathered; pkiUrl: string }) {
  return (
    <>
      <Section title={t('Organisation')}>
        <Facts
          items={[
            { label: t('Name'), value: tenancy.tenancyName },
            { label: t('Colour'), value: tenancy.bannerColour },
            { label: t('Support address'), value: tenancy.supportEmail },
          ]}
        />
      </Section>
      <Section title={t('Administrator')}>
        <Facts
          items={[
            { label: t('Name'), value: `${administrator.givenName} ${administrator.familyName}` },
            { label: t('Username'), value: administrator.username },
            { label: t('E-mail address'), value: administrator.emailAddress },
          ]}
        />
      </Section>
      <Section title={t('Authority')}>
        {authority.wanted && authority.root === 'token' ? (
          <Text c="dimmed">{t('None now. After set-up register the token, then make the root on it.')}</Text>
        ) : authority.wanted ? (
          <Facts
            items={[
              authority.root === 'here'
                ? {
                    label: t('Root'),
                    value: t('{name}, {key}, {years, plural, one {# year} other {# years}}', {
                      name: authority.rootName,
                      key: keyAlgorithms[authority.rootAlgorithm].label,
                      years: authority.rootYears ?? 0,
                    }),
                  }
                : { label: t('Root'), value: t('Offline. It signs the request of the issuing authority.') },
              { label: t('Issuing authority'), value: authority.issuingName },
              { label: t('Organisation'), value: [authority.organisation, authority.country].filter((text) => text !== '').join(', ') },
              { label: t('Key type'), value: keyAlgorithms[authority.algorithm].label },
              authority.root === 'here' && {
                label: t('Valid for'),
                value: t('{years, plural, one {# year} other {# years}}', { years: authority.issuingYears ?? 0 }),
              },
              { label: t('Address in certificates'), value: pkiUrl },
            ]}
          />
        ) : (
          <Text c="dimmed">{t('None now. You can make authorities later.')}</Text>
        )}
      </Section>
    </>
  )
}
