"""`thalweg serve`: live models by HTTP."""

from typing import Annotated

import typer

from thalweg.commands.serve_options import (
    AccessLog,
    Admin,
    AlertLog,
    AlertSilence,
    AlertUrl,
    AllowedHost,
    AllowedOrigin,
    Folder,
    Follow,
    Host,
    LabelBudget,
    Learner,
    MaxAge,
    MaxBytes,
    MaxRows,
    MaxWaiting,
    Name,
    NewLabels,
    OtherVersion,
    Port,
    Rate,
    Replace,
    Schema,
    SslCaCerts,
    SslCertfile,
    SslKeyfile,
    Survive,
    TokenFile,
    TrustedProxy,
    TrustNetwork,
)  # fmt: skip

SOURCES = typer.Argument(help="Model files, or folders of live models.", show_default=False)


def serve(
    sources: Annotated[list[str] | None, SOURCES] = None,
    folder: Folder = None,
    name: Name = None,
    learner: Learner = None,
    schema: Schema = None,
    follow: Follow = False,
    survive: Survive = "power",
    host: Host = "127.0.0.1",
    port: Port = 8000,
    token_file: TokenFile = None,
    trust_network: TrustNetwork = False,
    allowed_host: AllowedHost = None,
    allowed_origin: AllowedOrigin = None,
    trusted_proxy: TrustedProxy = None,
    admin: Admin = False,
    label_budget: LabelBudget = None,
    max_waiting: MaxWaiting = None,
    max_age: MaxAge = None,
    new_labels: NewLabels = "refuse",
    max_rows: MaxRows = 10_000,
    max_bytes: MaxBytes = 8 << 20,
    rate: Rate = None,
    access_log: AccessLog = False,
    alert_url: AlertUrl = None,
    alert_log: AlertLog = False,
    alert_silence: AlertSilence = None,
    replace: Replace = False,
    replay_other_version: OtherVersion = False,
    ssl_certfile: SslCertfile = None,
    ssl_keyfile: SslKeyfile = None,
    ssl_ca_certs: SslCaCerts = None,
) -> None:
    """Serve models by HTTP: predict, learn late labels, survive crashes.

    What changes a model is an event in its folder, on disk before it is answered: `MODEL.live` beside
    `MODEL.tw`, or `--folder`. Started again, it continues where it stopped. `/openapi.json` describes the
    routes. A later model in `MODEL.tw` is put in only with `--replace`.

    Examples:

        thalweg serve orders.tw

        thalweg serve orders.tw --replace

        thalweg serve orders.live --port 8080

        thalweg serve --folder orders.live --learner LogisticMixture --schema orders.json

        thalweg serve orders.live --follow --port 8001

        thalweg serve orders.tw --host 0.0.0.0 --token-file token --allowed-host orders.example.org
    """
    from thalweg.commands import serve_models
    from thalweg.commands.outputs import say

    serve_models.check_installed()
    from thalweg.live.webhook import check_url
    from thalweg.service import Limits, Settings, Tokens
    from thalweg.service.access import Access, check_network, warn_of_admin
    from thalweg.service.logs import set_up_logs
    from thalweg.service.server import FAILED, address_of, bind, resolve, run

    set_up_logs()
    settings = Settings(
        Limits(max_bytes=max_bytes, max_rows=max_rows, rate=rate),
        None if token_file is None else Tokens.from_file(token_file),
        admin=admin, access_log=access_log, alert_url=alert_url, alert_log=alert_log,
        alert_silence=alert_silence, allowed_hosts=[*([host] if host else []), *(allowed_host or [])],
        allowed_origins=allowed_origin or [], trusted_proxies=trusted_proxy or [],
    )  # fmt: skip
    numeric = resolve(host)
    check_network(numeric, trust_network, settings)
    Access(settings)  # may refuse an option, before anything is opened
    check_url(alert_url)
    plans = serve_models.plans(sources or [], folder, name, learner, schema, follow)
    notes: list[str] = []
    live = serve_models.opened(
        plans, replace=replace, say=notes.append, survive=survive, max_waiting=max_waiting, max_age=max_age,
        new_labels=new_labels, label_budget=serve_models.share(label_budget),
        replay_other_version=replay_other_version,
    )  # fmt: skip
    secure = {"ssl_certfile": ssl_certfile, "ssl_keyfile": ssl_keyfile, "ssl_ca_certs": ssl_ca_certs}
    try:
        with bind(numeric, port) as bound:
            warn_of_admin(settings)
            address = address_of(bound, ssl_certfile is not None)
            say(f"thalweg: serving {', '.join(live)} at {address}")
            for note in notes:
                say(f"thalweg: {note}")
            failure = run(live, bound, settings, **secure)
    finally:
        for each in live.values():
            each.close()
    if failure is not None:
        say(f"thalweg: stopped: {failure}", error=True)
        raise typer.Exit(FAILED)
