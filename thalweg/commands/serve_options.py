"""The options of `thalweg serve`."""

from typing import Annotated, Any

import typer


def _option(text: str, metavar: str | None = None, *names: str, **settings: Any) -> Any:
    return typer.Option(*names, help=text, metavar=metavar, **settings)


Text = str | None
Folder = Annotated[Text, _option("Folder of the events; by default MODEL.live beside MODEL.tw.", "FOLDER")]
Name = Annotated[Text, _option("Name of the model in addresses; by default that of its file.", "NAME")]
Learner = Annotated[
    Text, _option("Start with this learner and no rows, with --folder and --schema.", "LEARNER")
]
Schema = Annotated[Text, _option("JSON file with the target, columns and classes to start with.", "FILE")]
Follow = Annotated[
    bool, _option("Only predict, as a copy that follows the folder of another service.", " ", "--follow")
]
Survive = Annotated[
    str, _option("What an answered event survives: power (a loss of it) or process.", "power|process")
]
Names = list[str] | None
Host = Annotated[
    str, _option("Address to bind; 0.0.0.0 for all of this machine, with a token file.", "ADDRESS")
]
Port = Annotated[int, _option("Port to bind; 0 for a free one.", "PORT", min=0, max=65535)]
TokenFile = Annotated[Text, _option("File of tokens, one a line; clients must send one.", "FILE")]
TrustNetwork = Annotated[
    bool,
    _option("Serve another address than loopback without tokens: all who reach it may teach.", " ",
            "--trust-network"),
]  # fmt: skip
AllowedHost = Annotated[
    Names,
    _option("A name that requests may be for, besides addresses, localhost and --host; repeatable.", "NAME"),
]
AllowedOrigin = Annotated[
    Names, _option("An origin that pages may ask from, such as https://a.example; repeatable.", "ORIGIN")
]
TrustedProxy = Annotated[
    Names, _option("Address or network of a proxy whose X-Forwarded-For counts; repeatable.", "ADDRESS")
]
Admin = Annotated[bool, _option("Allow to replace models and to erase ids by HTTP.", " ", "--admin")]
LabelBudget = Annotated[
    Text, _option("Share of rows to ask a label for: answers then say wants_label.", "SHARE")
]
MaxWaiting = Annotated[int | None, _option("Most rows that wait for their labels.", "ROWS", min=1)]
MaxAge = Annotated[float | None, _option("Seconds that a row waits for its label.", "SECONDS", min=0)]
NewLabels = Annotated[
    str,
    _option("What becomes of a label that is no class: refuse it alone, or add the class.", "refuse|add"),
]
MaxRows = Annotated[int, _option("Most rows in a request.", "ROWS", min=1)]
MaxBytes = Annotated[int, _option("Largest request.", "BYTES", min=1)]
Rate = Annotated[float | None, _option("Rows a second that a client address may send.", "ROWS", min=0.001)]
AccessLog = Annotated[bool, _option("Log each request.", " ", "--access-log")]
Replace = Annotated[
    bool, _option("Go on with the model of the file, if the folder has another one.", " ", "--replace")
]
OtherVersion = Annotated[
    bool, _option("Replay events that another version of thalweg has written.", " ", "--replay-other-version")
]
SslCertfile = Annotated[Text, _option("Certificate, for https.", "FILE")]
SslKeyfile = Annotated[Text, _option("Its key.", "FILE")]
SslCaCerts = Annotated[Text, _option("Authorities whose clients' certificates are accepted.", "FILE")]
AlertUrl = Annotated[
    Text, _option("Where to post alerts as JSON: drift, accuracy, no labels, dropped rows.", "URL")
]
AlertLog = Annotated[bool, _option("Log alerts.", " ", "--alert-log")]
AlertSilence = Annotated[
    float | None,
    _option("Seconds without labels that are an alert; by default found from the past.", "SECONDS", min=1),
]
