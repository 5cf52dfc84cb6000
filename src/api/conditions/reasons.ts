/**
 * The one closed list of reasons. The same word is used in conditions, events, metrics and notes, so that an alert, a
 * log line and this page can be searched with it.
 */

const hostStates = {
  Pooled: 'The host is free: its last wipe was seen complete, or a person put it under the pool prefix.',
  Pending:
    'The server carries the name of an adoption under way, and no machine claims the host: after ten minutes unchanged it is offered again.',
  Adopting:
    'A machine has claimed the host, or is looking for one, and the host does not carry its name yet.',
  Owned: 'The host belongs to a living machine.',
  Releasing: 'The owner gave the host up and a wipe is about to be asked for.',
  Reinstalling: 'The provider is wiping the host.',
  Stranded: 'The host carries the mark of a machine that does not exist any more.',
  Quarantined: 'The host is kept aside, untouched, until a person or a waiting time lets it go.',
  Terminating: 'The rent of the host is being ended, or its deletion is scheduled.',
  Foreign: 'The host is not ours: it carries a name of neither pool nor claim.',
  Broken: 'The provider reports the host as faulty, or it failed to come back from a wipe.',
} as const;

const hostTroubles = {
  HostGone: 'The provider does not know the host any more.',
  RentEnds: 'The rent of the host ends although a machine uses it: somebody scheduled its deletion.',
  SpokenFor:
    'A live machine names the host, or is called like its server, without holding its claim. The host is left as it is.',
  NamedByPerson:
    'A person gave the server a name that Muster does not use. Nothing more is done to the host, and its claim was let go.',
  SharedHost: 'Several machines say that they have this host.',
  SpareHost: 'Several hosts are kept for this machine.',
  StandOff: 'The host is kept for a machine that may not have it, and both wait.',
  OrderRefused:
    'The host was ordered to be given up, but a live machine speaks for it. The order was dropped; delete or detach the machine instead.',
  HostCalledGone:
    'A person let the machine go without its server, because nobody could be asked about that server any more.',
  RenameNotSeen: 'The provider accepted a new name for the server, and the server is not called so.',
  RenamedElsewhere: 'Somebody renamed the server. The host stays with its machine, and is not renamed back.',
} as const;

const adoption = {
  Provisioned: 'The machine has a host and the credentials to reach it.',
  ScalewayAdoptFailed: 'A call to the provider failed while a host was being adopted.',
  ScalewayCreateFailed: 'A call to Scaleway failed while a host was being ordered. Older versions only.',
  NoAdoptPoolPrefix:
    'Neither the machine nor the manager has a pool prefix, so no host can be told to be free.',
  PoolPrefixRefused:
    'The pool prefix of the machine is too short, overlaps with names of hosts in use, or is not allowed, so it is not used.',
  NameTaken: 'A machine of the same name in another namespace came first.',
  ServerNameTaken:
    'A server already carries the name of the machine and may not be taken as it is. The machine waits until that server has left the name.',
  NameTooLong: 'The name of the machine leaves no room for the names that are made from it.',
  NoAvailableHost: 'No free host has the wanted zone, type and operating system.',
  InvalidOSPin: 'The wanted operating system is not a release family.',
  CredentialsPersistFailed: 'The credentials of the adopted host could not be stored.',
  HostReleased: 'The host was given back because it could not be set up; another one will be adopted.',
} as const;

const bootstrap = {
  Bootstrapping: 'The host is being set up.',
  Bootstrapped: 'The host is set up.',
  BootstrapFailed: 'Setting the host up failed; it is tried again.',
  SSHKeyUnavailable: 'The SSH key of the fleet could not be read, made or registered.',
  CredentialsRefreshFailed: 'The password of the host could not be asked for.',
  MissingSudoPassword:
    'The provider does not tell the password of the host, and without it nothing can be set up.',
  NodeMissing: 'The host was set up but its Node does not exist.',
  NodeIdentityUnavailable: 'The ServiceAccount or token of the Node could not be made.',
  KubeconfigUnavailable: 'The kubeconfig for the Node could not be written.',
  TailscaleAuthKeyUnavailable: 'The key for the private network of the fleet could not be read.',
  GHRunnerRegistrationTokenUnavailable: 'GitHub gave no token to register the runner of this machine.',
  CachePrivateNetworkUnavailable: 'The private network of the build cache could not be attached.',
} as const;

const agentRoll = {
  TartKubeletUpdateExceededRetries: 'Updating the agent failed too often and was given up for now.',
} as const;

const release = {
  Released: 'The host was given back to the pool.',
  ReleaseFailed: 'Giving the host back failed; it is tried again.',
  ReleaseSkipped:
    'The host was left running under its name, because there is no pool prefix to give it back to.',
  OSPinUnavailable:
    'The host is wiped to another release family than was wanted: that one is not on offer, or the provider took another.',
  AwaitingReinstall: 'A wipe was asked for and has not been seen to start.',
  Deleting: 'The rent of the host is being ended.',
  Deleted: 'The rent of the host was ended, or its end is scheduled.',
  DeleteFailed: 'Deleting the host, or something made for it, failed; it is tried again.',
} as const;

const runners = {
  ReplicasMet: 'The pool has as many Pods as it should.',
  ReplicasMissing: 'The pool has fewer Pods than it should.',
  Draining: 'The pool is being deleted and waits for Pods that run a job.',
  RuntimeClassRefused:
    'A Linux pool whose jobs use docker must run under `kata-qemu`, and this one does not.',
  RunnerPodRetiredForNodeDrain: 'An idle Pod was removed because its Node is being drained.',
  RunnerPodStartTimedOut: 'A Pod was removed because it did not start polling in time.',
  RunnerPodUnschedulable: 'A Pod was removed because no Node had room for it in time.',
  RunnerPodNotReported:
    'A Pod that ended was removed although dispatch could not be told, so that it does not stay for ever.',
  RunnerPodsEndEarly: 'Pods of the pool end soon after they start, without a job; new ones are made slowly.',
  WindowRefused: 'A window of the pool names a time zone that does not exist, and is never open.',
  NoHealthyNode: 'No Node of the fleet can take a new Pod.',
  FleetCap: 'As many Pods of the fleet are starting as may at once.',
  FleetViewError: 'The Nodes of the fleet are not known yet.',
  RollingOut: 'Pods with an old image or runtime class are being replaced, a few at a time.',
  NotAutoscaled: 'The number of Pods is not set by Muster.',
  SignalsUnavailable: 'Dispatch does not tell how much is asked for, so the number of Pods stays as it is.',
  RuntimeClassUnknown:
    'What a Pod costs is not known without its runtime class, so the number stays as it is.',
  CoolingDown: 'Fewer Pods are needed, and the last time there were made fewer is too short ago.',
  AtTarget: 'The pool has been asked for as many Pods as are needed.',
  ScaledUp: 'More Pods are needed than the pool was asked for.',
  ScaledDown: 'Fewer Pods are needed than the pool was asked for.',
} as const;

const providerCalls = {
  NotFound: 'The object, server, key or place does not exist.',
  TransientState: 'The provider refuses because the server is in the middle of something else.',
  BillingFloor: 'The provider refuses to end the rent before its minimum time is over.',
  PreconditionFailed: 'The provider refuses because something else has to come first.',
  Locked: 'The provider has locked the server.',
  RateLimited: 'The provider wants fewer requests.',
  Unauthenticated: 'The provider does not accept the credentials.',
  PermissionDenied: 'The credentials do not allow this request.',
  QuotaExceeded: 'The quota at the provider is used up.',
  OutOfStock: 'The provider has none left.',
  AlreadyExists: 'An object of this name exists already.',
  Conflict: 'Another client changed the same object at the same time.',
  InvalidArguments: 'The provider does not understand what it is asked for.',
  OSNotPublished: 'No image of the wanted operating system is on offer.',
  OutcomeUnknown: 'The answer of the provider is lost or unreadable, so the change may have been made.',
  ServerError: 'The provider answered a change with an error of its own; the change may have been made.',
  ProviderUnavailable: 'The provider fails, or does not answer in time.',
  Unreachable: 'No connection could be made, so that nothing was asked.',
  UnreadableReply: 'The answer is not of the expected form.',
  RedirectRefused: 'The server redirects to another address, and credentials are not sent there.',
  ListingShifted: 'The servers at the provider changed while they were being listed.',
  CredentialsMissing: 'The credentials are missing or malformed.',
  Unsupported: 'This provider has no such operation.',
  WipeFailed: 'The command that wipes a host failed, or was cut off.',
  HostListUnusable: 'The list of owned hosts, or what is noted about them, is missing, empty or wrong.',
} as const;

const connections = {
  AnswerLost: 'The connection broke before the answer of the Kubernetes API was complete.',
  NotKubernetes: 'The answer does not come from a Kubernetes API.',
  Redirected: 'The server redirects to another address, which is not followed.',
  SilentWatch: 'A watch was silent for too long and is started again.',
  ShortWatch: 'The Kubernetes API ended a watch at once, without a reason.',
  OutdatedList: 'The Kubernetes API answered a list with a state older than one that it had shown before.',
  EndlessList: 'The Kubernetes API answered a list with the same page again.',
  BadKubeconfig: 'The kubeconfig is not readable or not complete.',
  NoCredentials: 'The credentials for the Kubernetes API cannot be read.',
  NoServiceAccount: 'The process runs outside a cluster and has no kubeconfig.',
  NotLeading: 'Another replica leads now.',
} as const;

const kubernetesAnswers = {
  BadRequest: 'The Kubernetes API does not understand the request.',
  Unauthorized: 'The Kubernetes API does not accept the credentials.',
  Forbidden: 'The ServiceAccount lacks a right in the Kubernetes API.',
  MethodNotAllowed: 'The Kubernetes API does not offer this request for the resource.',
  NotAcceptable: 'The Kubernetes API cannot answer in the wanted format.',
  Gone: 'The wanted revision is no longer kept by the Kubernetes API.',
  Expired: 'The list or watch is older than what the Kubernetes API keeps.',
  RequestEntityTooLarge: 'The object is too large for the Kubernetes API.',
  UnsupportedMediaType: 'The Kubernetes API does not take this content type.',
  Invalid: 'The Kubernetes API refused the object because a field is invalid.',
  TooManyRequests: 'The Kubernetes API wants fewer requests.',
  ServiceUnavailable: 'The Kubernetes API is not available.',
  Timeout: 'The Kubernetes API did not answer in time.',
  ServerTimeout: 'The Kubernetes API could not finish the request in time.',
} as const;

const dispatchFailures = {
  DatabaseUnavailable: 'The database of dispatch does not answer.',
  DispatchUnavailable: 'Dispatch does not answer.',
  TransactionUndone: 'The database undid a transaction; the request is sent again.',
  GitHubUnavailable: 'GitHub fails, or does not answer in time.',
  InvalidRequest: 'GitHub refused the request as invalid.',
  NoRepository: 'GitHub does not show the repository to the App.',
  RunnerBusy: 'The runner has a job, so that its registration stays.',
  Paced: 'Muster holds the request back to stay below a limit of GitHub.',
  MoreDeliveries: 'GitHub has more failed webhook deliveries than one run asks for.',
  PodGone: 'The Pod does not exist any more.',
  OtherPod: 'A Pod of the same name and another uid exists.',
  PoolUnknown: 'The Pod belongs to no known pool.',
  TooManyPolls: 'The Pod polls too often.',
  TooManyBodies: 'Too many request bodies are being read at once.',
  TooManyTokenReviews: 'Too many tokens wait for their TokenReview.',
  UnknownSigningKey: 'The token is signed with a key that the cluster does not publish.',
  WrongAudience: 'The token for dispatch was issued for another audience.',
  Unavailable: 'The request cannot be served at the moment.',
} as const;

const spreading = {
  Spread: 'The Deployment was last rolled over the Macs that are ready now.',
  Spreading: 'The set of ready Macs has changed, so the Deployment is rolled once to use all of them.',
  Rolling: 'The Deployment is being rolled; another roll waits for the end of this one.',
  NoDeployment: 'The Deployment that is to be spread does not exist.',
} as const;

const fleetKeys = {
  KeyRegistered: 'The SSH key of the fleet is stored, and the provider knows it.',
  KeyMade: 'The fleet had no SSH key and got one.',
  KeyRegistering: 'The provider does not know the SSH key of the fleet, and is told.',
  OtherKey: 'The provider has a key under the name of the fleet that is not the key of the fleet.',
} as const;

const anyKind = {
  NotYetObserved: 'Nothing is known yet.',
  AllConditionsMet: 'Everything that has to hold does.',
  NothingToProvision: 'There is nothing to build for this object.',
  ManagedElsewhere: 'The control plane is run by something other than Cluster API.',
  ControlPlaneInitialized: 'A Cluster that names no control plane was told that it has one.',
  Settling: 'It changed a short while ago and is left alone until it has settled.',
  BackingOff: 'It failed before and is left alone until its next try.',
  Paused: 'A person asked for it to be left alone.',
  NotPaused: 'Nobody asked for it to be left alone.',
  Progressing: 'Work goes on without the help of a person.',
  NotReleasing: 'The host is not being given up.',
  InternalError: 'Something failed inside Muster; the log has the details.',
} as const;

/** The reasons by theme, each with its meaning. No reason stands in two themes. */
export const reasonThemes = [
  { heading: 'States of a MacHost', meanings: hostStates },
  { heading: 'Trouble with a host', meanings: hostTroubles },
  { heading: 'Adopting a host', meanings: adoption },
  { heading: 'Setting a host up', meanings: bootstrap },
  { heading: 'Updating the agent', meanings: agentRoll },
  { heading: 'Giving a host up', meanings: release },
  { heading: 'Spreading over Macs', meanings: spreading },
  { heading: 'SSH keys of fleets', meanings: fleetKeys },
  { heading: 'Runner pools', meanings: runners },
  { heading: 'Calls to the provider', meanings: providerCalls },
  { heading: 'Dispatch', meanings: dispatchFailures },
  { heading: 'Connections to the Kubernetes API', meanings: connections },
  { heading: 'Answers of the Kubernetes API', meanings: kubernetesAnswers },
  { heading: 'Everywhere', meanings: anyKind },
] as const;

/** Each reason with its meaning. */
export const reasons = {
  ...hostStates,
  ...hostTroubles,
  ...adoption,
  ...bootstrap,
  ...agentRoll,
  ...release,
  ...spreading,
  ...fleetKeys,
  ...runners,
  ...providerCalls,
  ...dispatchFailures,
  ...connections,
  ...kubernetesAnswers,
  ...anyKind,
} as const;

export type Reason = keyof typeof reasons;
/** Why a call to the provider of the hosts failed. */
export type ProviderReason = keyof typeof providerCalls;

/** The reason of a failure; the status stands for an HTTP answer without a reason. */
export type FailureReason = Reason | `Http${number}`;

export function isReason(text: string): text is Reason {
  return Object.hasOwn(reasons, text);
}
